import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import org.apache.samza.config.MapConfig;
import org.apache.samza.coordinator.stream.messages.SetJobCoordinatorMetadataMessage;
import org.apache.samza.job.JobCoordinatorMetadata;
import org.apache.samza.job.metadata.JobCoordinatorMetadataManager;
import org.apache.samza.job.metadata.JobCoordinatorMetadataManager.ClusterType;
import org.apache.samza.job.model.JobModel;
import org.apache.samza.metadatastore.MetadataStore;
import org.apache.samza.metrics.MetricsRegistryMap;
import org.apache.samza.serializers.model.SamzaObjectMapper;

/** Makes, compares, reads and writes the metadata of job coordinators through Samza's JobCoordinatorMetadataManager. */
public final class CoordinatorMetadata {
  private final MetadataStore store;

  private CoordinatorMetadata(MetadataStore store) {
    this.store = Stores.namespace(store, SetJobCoordinatorMetadataMessage.TYPE);
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    MetadataStore store = Stores.open(lines.config());
    lines.answer(new CoordinatorMetadata(store)::answer);
    store.close();
  }

  private Object answer(JsonNode line) throws IOException {
    ClusterType cluster = ClusterType.valueOf(line.get("cluster").textValue());
    JobCoordinatorMetadataManager manager = new JobCoordinatorMetadataManager(store, cluster, new MetricsRegistryMap());
    switch (line.get("call").textValue()) {
      case "generate":
        JobModel model = SamzaObjectMapper.getObjectMapper().readValue(line.get("model").textValue(), JobModel.class);
        return said(manager.generateJobCoordinatorMetadata(model, new MapConfig(JsonLines.texts(line.get("config")))));
      case "check":
        return manager.checkForMetadataChanges(metadata(line.get("new")), metadata(line.get("previous"))).stream()
            .map(Enum::name).collect(toList());
      case "read":
        return said(manager.readJobCoordinatorMetadata());
      case "write":
        manager.writeJobCoordinatorMetadata(metadata(line.get("new")));
        return null;
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  /** Metadata as its ids of epoch, config and job model. */
  private static JobCoordinatorMetadata metadata(JsonNode ids) {
    return ids.isNull() ? null
        : new JobCoordinatorMetadata(ids.get(0).textValue(), ids.get(1).textValue(), ids.get(2).textValue());
  }

  private static List<String> said(JobCoordinatorMetadata metadata) {
    return metadata == null ? null
        : List.of(metadata.getEpochId(), metadata.getConfigId(), metadata.getJobModelId());
  }
}
