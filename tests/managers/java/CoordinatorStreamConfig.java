import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.samza.config.Config;
import org.apache.samza.config.MapConfig;
import org.apache.samza.coordinator.metadatastore.CoordinatorStreamStore;
import org.apache.samza.coordinator.stream.CoordinatorStreamWriter;
import org.apache.samza.metrics.MetricsRegistryMap;
import org.apache.samza.util.CoordinatorStreamUtil;

/**
 * Reads and writes a job's config through Samza's own classes.
 *
 * The first line of the input is the config that leads to the stream. {@code read} prints the stream's config as one
 * line. {@code write} does what a job's start does with the config of each further line; {@code set} writes the keys
 * of each further line one by one, as the script for operators does.
 */
public final class CoordinatorStreamConfig {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws IOException {
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Config place = new MapConfig(texts(input.readLine()));
    switch (arguments[0]) {
      case "read":
        output.println(JSON.writeValueAsString(new TreeMap<>(read(place))));
        break;
      case "write":
        for (String line = input.readLine(); line != null; line = input.readLine()) {
          CoordinatorStreamUtil.writeConfigToCoordinatorStream(new MapConfig(texts(line)), true);
        }
        break;
      case "set":
        CoordinatorStreamWriter writer = new CoordinatorStreamWriter(place);
        writer.start();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
          texts(line).forEach((key, value) -> writer.sendMessage(CoordinatorStreamWriter.SET_CONFIG_TYPE, key, value));
        }
        writer.stop();
        break;
      default:
        throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static Config read(Config place) {
    CoordinatorStreamStore store = new CoordinatorStreamStore(place, new MetricsRegistryMap());
    store.init();
    try {
      return CoordinatorStreamUtil.readConfigFromCoordinatorStream(store);
    } finally {
      store.close();
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, String> texts(String line) throws IOException {
    return JSON.readValue(line, Map.class);
  }
}
