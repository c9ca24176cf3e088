import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.samza.Partition;
import org.apache.samza.config.MapConfig;
import org.apache.samza.system.StreamMetadataCache;
import org.apache.samza.system.SystemAdmins;
import org.apache.samza.system.SystemStream;
import org.apache.samza.system.SystemStreamMetadata;
import org.apache.samza.system.SystemStreamMetadata.SystemStreamPartitionMetadata;
import org.apache.samza.util.SystemClock;
import scala.Predef;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** Streams that have as many partitions as is said of each {@code system.stream}. */
final class CountedStreams extends StreamMetadataCache {
  private final Map<String, Integer> counts;

  CountedStreams(JsonNode counts) {
    super(new SystemAdmins(new MapConfig(), "test"), 0, SystemClock.instance());
    this.counts = JsonLines.map(counts, name -> name, JsonNode::intValue);
  }

  @Override
  public scala.collection.immutable.Map<SystemStream, SystemStreamMetadata> getStreamMetadata(
      scala.collection.immutable.Set<SystemStream> streams, boolean partitionsMetadataOnly) {
    Map<SystemStream, SystemStreamMetadata> found = new HashMap<>();
    JavaConverters.setAsJavaSetConverter(streams).asJava().forEach(each -> found.put(each, metadata(each)));
    return JavaConverters.mapAsScalaMapConverter(found).asScala()
        .toMap(Predef.<Tuple2<SystemStream, SystemStreamMetadata>>$conforms());
  }

  private SystemStreamMetadata metadata(SystemStream stream) {
    Map<Partition, SystemStreamPartitionMetadata> partitions = new HashMap<>();
    for (int number = 0; number < counts.get(stream.getSystem() + "." + stream.getStream()); number++) {
      partitions.put(new Partition(number), new SystemStreamPartitionMetadata(null, null, null));
    }
    return new SystemStreamMetadata(stream.getStream(), partitions);
  }
}
