import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.apache.samza.checkpoint.CheckpointV2;
import org.apache.samza.serializers.CheckpointV2Serde;
import org.apache.samza.storage.StorageManagerUtil;
import org.apache.samza.system.SystemStreamPartition;
import org.apache.samza.util.FileUtil;

/**
 * Reads and writes the files in the directories of stores through Samza's own StorageManagerUtil.
 *
 * Each line is a {@code call} on a {@code directory}: {@code write offsets}, {@code read offsets}, {@code write checkpoint},
 * {@code read checkpoint}, {@code stale}; or {@code write text} and {@code read text} on a {@code file}.
 */
public final class StoreFiles {
  private final StorageManagerUtil files = new StorageManagerUtil();

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    lines.config();
    lines.answer(new StoreFiles()::answer);
  }

  private Object answer(JsonNode line) throws IOException {
    File directory = new File(line.get("directory").textValue());
    switch (line.get("call").textValue()) {
      case "write offsets":
        files.writeOffsetFile(directory, offsets(line.get("offsets")), isSideInput(line));
        return null;
      case "read offsets":
        Set<SystemStreamPartition> partitions = JsonLines.partitions(line.get("partitions"));
        Map<SystemStreamPartition, String> found = files.readOffsetFile(directory, partitions, isSideInput(line));
        return JsonLines.pairs(found, JsonLines::said, offset -> offset);
      case "write checkpoint":
        files.writeCheckpointV2File(directory, new CheckpointV2Serde().fromBytes(bytes(line.get("checkpoint"))));
        return null;
      case "read checkpoint":
        CheckpointV2 checkpoint = files.readCheckpointV2File(directory);
        return checkpoint == null ? null : new String(new CheckpointV2Serde().toBytes(checkpoint), StandardCharsets.UTF_8);
      case "stale":
        return files.isStaleStore(
            directory, line.get("retention").longValue(), line.get("now").longValue(), isSideInput(line));
      case "write text":
        new FileUtil().writeWithChecksum(directory, line.get("text").textValue());
        return null;
      case "read text":
        return new FileUtil().readWithChecksum(directory);
      default:
        throw new IllegalArgumentException(line.get("call").textValue());
    }
  }

  private static boolean isSideInput(JsonNode line) {
    return line.get("side input").booleanValue();
  }

  private static byte[] bytes(JsonNode text) {
    return text.textValue().getBytes(StandardCharsets.UTF_8);
  }

  private static Map<SystemStreamPartition, String> offsets(JsonNode said) {
    Map<SystemStreamPartition, String> offsets = new java.util.HashMap<>();
    said.forEach(pair -> offsets.put(JsonLines.partition(pair.get(0)), pair.get(1).textValue()));
    return offsets;
  }
}
