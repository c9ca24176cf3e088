import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.samza.config.Config;
import org.apache.samza.system.SystemAdmin;
import org.apache.samza.system.SystemStreamMetadata.SystemStreamPartitionMetadata;
import org.apache.samza.system.SystemStreamPartition;
import org.apache.samza.system.kafka.KafkaSystemFactory;

/** Asks an input system on Kafka through Samza's own KafkaSystemAdmin. */
public final class InputSystem {
  private final SystemAdmin admin;

  private InputSystem(Config config) {
    admin = new KafkaSystemFactory().getAdmin("kafka", config, "test");
    admin.start();
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    InputSystem system = new InputSystem(lines.config());
    lines.answer(system::answer);
    system.admin.stop();
  }

  private Object answer(JsonNode line) {
    switch (line.get("call").textValue()) {
      case "resolve":
        return admin.resolveStartpointToOffset(
            JsonLines.partition(line.get("partition")), Startpoints.startpoint(line.get("startpoint")));
      case "metadata":
        String stream = line.get("stream").textValue();
        Map<Integer, Object> reaches = new HashMap<>();
        admin.getSystemStreamMetadata(Set.of(stream)).get(stream).getSystemStreamPartitionMetadata()
            .forEach((partition, metadata) -> reaches.put(partition.getPartitionId(), said(metadata)));
        return reaches;
      case "after":
        SystemStreamPartition partition = JsonLines.partition(line.get("partition"));
        return admin.getOffsetsAfter(Map.of(partition, line.get("offset").textValue())).get(partition);
      case "compare":
        return admin.offsetComparator(line.get("one").textValue(), line.get("other").textValue());
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  private static List<String> said(SystemStreamPartitionMetadata reach) {
    return Arrays.asList(reach.getOldestOffset(), reach.getNewestOffset(), reach.getUpcomingOffset());
  }
}
