import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.samza.Partition;
import org.apache.samza.config.Config;
import org.apache.samza.config.MapConfig;
import org.apache.samza.system.SystemStreamPartition;

/**
 * Lines of JSON in, and for each but the first, which is the config, a line with its answer.
 *
 * An answer is an object: {@code said}, or the {@code error} that Samza ended the call with.
 */
final class JsonLines {
  static final ObjectMapper JSON = new ObjectMapper();

  private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  private final PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  /** What Samza says to one line. */
  interface Call {
    Object answer(JsonNode line) throws Exception;
  }

  Config config() throws IOException {
    return new MapConfig(texts(JSON.readTree(input.readLine())));
  }

  void answer(Call call) throws IOException {
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      Map<String, Object> answer = new HashMap<>();
      try {
        answer.put("said", call.answer(JSON.readTree(line)));
      } catch (Exception error) {
        answer.put("error", error.toString());
      }
      output.println(JSON.writeValueAsString(answer));
    }
  }

  /** A member's text; null where it is null or not there. */
  static String text(JsonNode line, String name) {
    JsonNode member = line.get(name);
    return member == null || member.isNull() ? null : member.textValue();
  }

  static Map<String, String> texts(JsonNode said) {
    return map(said, Function.identity(), JsonNode::textValue);
  }

  static <K, V> Map<K, V> map(JsonNode said, Function<String, K> key, Function<JsonNode, V> value) {
    Map<K, V> found = new HashMap<>();
    said.fields().forEachRemaining(entry -> found.put(key.apply(entry.getKey()), value.apply(entry.getValue())));
    return found;
  }

  static <V> List<V> list(JsonNode said, Function<JsonNode, V> value) {
    List<V> found = new ArrayList<>();
    said.forEach(each -> found.add(value.apply(each)));
    return found;
  }

  /** A partition as its system, stream, number and key bucket. */
  static SystemStreamPartition partition(JsonNode said) {
    Partition number = new Partition(said.get(2).intValue());
    return new SystemStreamPartition(said.get(0).textValue(), said.get(1).textValue(), number, said.get(3).intValue());
  }

  static Set<SystemStreamPartition> partitions(JsonNode said) {
    return Set.copyOf(list(said, JsonLines::partition));
  }

  static List<Object> said(SystemStreamPartition partition) {
    int number = partition.getPartition().getPartitionId();
    return List.of(partition.getSystem(), partition.getStream(), number, partition.getKeyBucket());
  }

  /** A map whose keys are no texts, as a list of pairs. */
  static <K, V> List<List<Object>> pairs(Map<K, V> map, Function<K, Object> key, Function<V, Object> value) {
    List<List<Object>> said = new ArrayList<>();
    map.forEach((each, its) -> {
      List<Object> pair = new ArrayList<>();
      pair.add(key.apply(each));
      pair.add(value.apply(its));
      said.add(pair);
    });
    return said;
  }
}
