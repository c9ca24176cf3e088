import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.samza.Partition;
import org.apache.samza.system.StreamMetadataCache;
import org.apache.samza.system.SystemAdmin;
import org.apache.samza.system.SystemAdmins;
import org.apache.samza.system.SystemStreamMetadata;
import org.apache.samza.system.SystemStreamMetadata.SystemStreamPartitionMetadata;
import org.apache.samza.system.SystemStreamPartition;
import org.apache.samza.util.SystemClock;

/** Systems whose streams have as many partitions as is said: by system, then by stream. They tell nothing else. */
final class CountedStreams implements SystemAdmin {
  private final Map<String, Integer> counts;

  private CountedStreams(JsonNode counts) {
    this.counts = JsonLines.map(counts, stream -> stream, JsonNode::intValue);
  }

  /** The systems, asked as a job's coordinator asks them. */
  static StreamMetadataCache cache(JsonNode systems) {
    Map<String, SystemAdmin> admins = JsonLines.map(systems, system -> system, CountedStreams::new);
    return new StreamMetadataCache(new SystemAdmins(admins), 0, SystemClock.instance());
  }

  @Override
  public Map<String, SystemStreamMetadata> getSystemStreamPartitionCounts(Set<String> streams, long cacheMs) {
    Map<String, SystemStreamMetadata> found = new HashMap<>();
    streams.forEach(stream -> found.put(stream, new SystemStreamMetadata(stream, partitions(counts.get(stream)))));
    return found;
  }

  private static Map<Partition, SystemStreamPartitionMetadata> partitions(int count) {
    Map<Partition, SystemStreamPartitionMetadata> partitions = new HashMap<>();
    for (int number = 0; number < count; number++) {
      partitions.put(new Partition(number), new SystemStreamPartitionMetadata("", "", ""));
    }
    return partitions;
  }

  @Override
  public Map<String, SystemStreamMetadata> getSystemStreamMetadata(Set<String> streams) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Map<SystemStreamPartition, String> getOffsetsAfter(Map<SystemStreamPartition, String> offsets) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Integer offsetComparator(String one, String other) {
    throw new UnsupportedOperationException();
  }
}
