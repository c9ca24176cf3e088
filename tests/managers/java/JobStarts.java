import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.samza.config.Config;
import org.apache.samza.config.MapConfig;
import org.apache.samza.container.LocalityManager;
import org.apache.samza.container.TaskName;
import org.apache.samza.container.grouper.task.TaskAssignmentManager;
import org.apache.samza.container.grouper.task.TaskPartitionAssignmentManager;
import org.apache.samza.coordinator.JobModelCalculator;
import org.apache.samza.coordinator.JobModelHelper;
import org.apache.samza.coordinator.stream.messages.SetChangelogMapping;
import org.apache.samza.coordinator.stream.messages.SetContainerHostMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskContainerMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskModeMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskPartitionMapping;
import org.apache.samza.job.model.JobModel;
import org.apache.samza.metadatastore.MetadataStore;
import org.apache.samza.serializers.model.SamzaObjectMapper;
import org.apache.samza.storage.ChangelogStreamManager;
import org.apache.samza.system.StreamMetadataCache;

/**
 * Starts jobs as Samza's job coordinator does: reads what the last start left, makes the job model, writes it.
 *
 * Each line is a start, with its {@code config} and the number of partitions of each stream by its system in
 * {@code streams}; a line that is {@code first} begins with an empty store, if that is in memory. The answer is the
 * model's JSON and all that the store holds after the start.
 */
public final class JobStarts {
  private final Config place;
  private MetadataStore store;

  private JobStarts(Config place) {
    this.place = place;
    this.store = Stores.open(place);
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    JobStarts starts = new JobStarts(lines.config());
    lines.answer(starts::answer);
    starts.store.close();
  }

  private Object answer(JsonNode line) throws IOException {
    if (line.get("first").booleanValue()) {
      store.close();
      store = Stores.open(place);
    }
    JobModel model = start(new MapConfig(JsonLines.texts(line.get("config"))), CountedStreams.cache(line.get("streams")));
    byte[] json = SamzaObjectMapper.getObjectMapper().writeValueAsBytes(model);
    return List.of(new String(json, StandardCharsets.UTF_8), Stores.said(store));
  }

  private JobModel start(Config config, StreamMetadataCache streams) {
    ChangelogStreamManager changelogs = new ChangelogStreamManager(Stores.namespace(store, SetChangelogMapping.TYPE));
    JobModelHelper helper = new JobModelHelper(
        new LocalityManager(Stores.namespace(store, SetContainerHostMapping.TYPE)),
        new TaskAssignmentManager(
            Stores.namespace(store, SetTaskContainerMapping.TYPE), Stores.namespace(store, SetTaskModeMapping.TYPE)),
        new TaskPartitionAssignmentManager(Stores.namespace(store, SetTaskPartitionMapping.TYPE)),
        streams,
        JobModelCalculator.INSTANCE);
    Map<TaskName, Integer> known = changelogs.readPartitionMapping();
    JobModel model = helper.newJobModel(config, known);
    Map<TaskName, Integer> numbers = new HashMap<>();
    model.getContainers().values().forEach(container -> container.getTasks().forEach(
        (name, task) -> numbers.put(name, task.getChangelogPartition().getPartitionId())));
    changelogs.updatePartitionMapping(known, numbers);
    return model;
  }
}
