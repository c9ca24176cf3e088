import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import kafka.admin.ConsumerGroupCommand;

/** Kafka's own kafka-consumer-groups: a line has its arguments, the answer is what it printed. */
public final class ConsumerGroups {
  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    lines.config();
    lines.answer(ConsumerGroups::run);
  }

  private static String run(JsonNode line) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    String[] arguments = JsonLines.list(line.get("arguments"), JsonNode::textValue).toArray(new String[0]);
    scala.Console.withOut(output, () -> {
      ConsumerGroupCommand.main(arguments);
      return null;
    });
    return output.toString(StandardCharsets.UTF_8);
  }
}
