import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.samza.Partition;
import org.apache.samza.checkpoint.Checkpoint;
import org.apache.samza.checkpoint.CheckpointId;
import org.apache.samza.checkpoint.CheckpointManager;
import org.apache.samza.checkpoint.CheckpointV1;
import org.apache.samza.checkpoint.CheckpointV2;
import org.apache.samza.checkpoint.kafka.KafkaCheckpointManagerFactory;
import org.apache.samza.config.MapConfig;
import org.apache.samza.container.TaskName;
import org.apache.samza.metrics.MetricsRegistryMap;
import org.apache.samza.system.SystemStreamPartition;

/**
 * Reads and writes checkpoints through Samza's own KafkaCheckpointManager.
 *
 * The first line of the input is the job's config, and each further one an object: {@code read} prints the checkpoint
 * of its {@code task}, or null; {@code write} makes the topic unless it is there, and writes the checkpoint.
 */
public final class CheckpointTopic {
  private static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("unchecked")
  public static void main(String[] arguments) throws IOException {
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    MapConfig config = new MapConfig((Map<String, String>) JSON.readValue(input.readLine(), Map.class));
    List<JsonNode> lines = new ArrayList<>();
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      lines.add(JSON.readTree(line));
    }
    CheckpointManager manager = new KafkaCheckpointManagerFactory().getCheckpointManager(config, new MetricsRegistryMap());
    boolean isWriting = arguments[0].equals("write");
    if (isWriting) {
      manager.createResources();
    }
    lines.forEach(line -> manager.register(task(line)));
    manager.start();
    for (JsonNode line : lines) {
      if (isWriting) {
        manager.writeCheckpoint(task(line), checkpoint(line));
      } else {
        output.println(JSON.writeValueAsString(said(manager.readLastCheckpoint(task(line)))));
      }
    }
    manager.stop();
  }

  private static TaskName task(JsonNode line) {
    return new TaskName(line.get("task").textValue());
  }

  static Checkpoint checkpoint(JsonNode line) {
    Map<SystemStreamPartition, String> offsets = new HashMap<>();
    line.get("offsets").forEach(entry -> offsets.put(partition(entry), entry.get("offset").textValue()));
    if (line.get("version").intValue() == CheckpointV1.CHECKPOINT_VERSION) {
      return new CheckpointV1(offsets);
    }
    Map<String, Map<String, String>> markers = new HashMap<>();
    line.get("markers").fields().forEachRemaining(of -> {
      Map<String, String> stores = new HashMap<>();
      of.getValue().fields().forEachRemaining(store -> stores.put(store.getKey(), store.getValue().textValue()));
      markers.put(of.getKey(), stores);
    });
    return new CheckpointV2(CheckpointId.deserialize(line.get("id").textValue()), offsets, markers);
  }

  private static SystemStreamPartition partition(JsonNode entry) {
    String system = entry.get("system").textValue();
    Partition partition = new Partition(entry.get("partition").intValue());
    return new SystemStreamPartition(system, entry.get("stream").textValue(), partition, entry.get("bucket").intValue());
  }

  private static ObjectNode said(Checkpoint checkpoint) {
    if (checkpoint == null) {
      return null;
    }
    ObjectNode said = JSON.createObjectNode().put("version", checkpoint.getVersion());
    ArrayNode offsets = said.putArray("offsets");
    checkpoint.getOffsets().forEach((partition, offset) -> offsets.addObject()
        .put("system", partition.getSystem())
        .put("stream", partition.getStream())
        .put("partition", partition.getPartition().getPartitionId())
        .put("bucket", partition.getKeyBucket())
        .put("offset", offset));
    if (checkpoint instanceof CheckpointV2) {
      CheckpointV2 second = (CheckpointV2) checkpoint;
      said.put("id", second.getCheckpointId().serialize());
      said.set("markers", JSON.valueToTree(second.getStateCheckpointMarkers()));
    }
    return said;
  }
}
