import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;

/**
 * Runs the other programs one after the other in one process, which saves the start of a JVM for each.
 *
 * A request is a line: the {@code program}, its {@code mode} and its {@code input}. The answer is a line with its
 * {@code output}, or with the {@code error} that it ended with.
 */
public final class Server {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String request = requests.readLine(); request != null; request = requests.readLine()) {
      answers.println(JSON.writeValueAsString(answer(JSON.readTree(request))));
    }
  }

  private static ObjectNode answer(JsonNode request) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    System.setIn(new ByteArrayInputStream(text(request, "input").getBytes(StandardCharsets.UTF_8)));
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      run(text(request, "program"), text(request, "mode"));
    } catch (Throwable error) {
      return JSON.createObjectNode().put("error", trace(error));
    }
    return JSON.createObjectNode().put("output", output.toString(StandardCharsets.UTF_8));
  }

  private static void run(String program, String mode) throws Throwable {
    try {
      Class.forName(program).getMethod("main", String[].class).invoke(null, (Object) new String[] {mode});
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }

  private static String text(JsonNode request, String name) {
    return request.get(name).textValue();
  }

  private static String trace(Throwable error) {
    StringWriter trace = new StringWriter();
    error.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }
}
