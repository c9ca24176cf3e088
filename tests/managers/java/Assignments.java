import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.samza.container.ExecutionContainerIdManager;
import org.apache.samza.container.LocalityManager;
import org.apache.samza.container.TaskName;
import org.apache.samza.container.grouper.task.TaskAssignmentManager;
import org.apache.samza.container.grouper.task.TaskPartitionAssignmentManager;
import org.apache.samza.coordinator.stream.messages.SetChangelogMapping;
import org.apache.samza.coordinator.stream.messages.SetContainerHostMapping;
import org.apache.samza.coordinator.stream.messages.SetExecutionEnvContainerIdMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskContainerMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskModeMapping;
import org.apache.samza.coordinator.stream.messages.SetTaskPartitionMapping;
import org.apache.samza.job.model.ProcessorLocality;
import org.apache.samza.job.model.TaskMode;
import org.apache.samza.metadatastore.MetadataStore;
import org.apache.samza.storage.ChangelogStreamManager;
import org.apache.samza.system.SystemStreamPartition;

/** Reads and writes where tasks and containers are and what they have, through the managers that Samza has for each. */
public final class Assignments {
  private final ChangelogStreamManager changelogs;
  private final LocalityManager localities;
  private final ExecutionContainerIdManager executionIds;
  private final TaskAssignmentManager tasks;
  private final TaskPartitionAssignmentManager partitions;

  private Assignments(MetadataStore store) {
    changelogs = new ChangelogStreamManager(Stores.namespace(store, SetChangelogMapping.TYPE));
    localities = new LocalityManager(Stores.namespace(store, SetContainerHostMapping.TYPE));
    executionIds = new ExecutionContainerIdManager(Stores.namespace(store, SetExecutionEnvContainerIdMapping.TYPE));
    tasks = new TaskAssignmentManager(
        Stores.namespace(store, SetTaskContainerMapping.TYPE), Stores.namespace(store, SetTaskModeMapping.TYPE));
    partitions = new TaskPartitionAssignmentManager(Stores.namespace(store, SetTaskPartitionMapping.TYPE));
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    MetadataStore store = Stores.open(lines.config());
    lines.answer(new Assignments(store)::answer);
    store.close();
  }

  private Object answer(JsonNode line) {
    switch (line.get("call").textValue()) {
      case "read changelogs":
        return changelogs.readPartitionMapping().entrySet().stream()
            .collect(toMap(each -> each.getKey().getTaskName(), Map.Entry::getValue));
      case "write changelogs":
        changelogs.writePartitionMapping(JsonLines.map(
            line.get("said"), TaskName::new, number -> number.isNull() ? null : number.intValue()));
        return null;
      case "read localities":
        return localities.readLocality().getProcessorLocalities().entrySet().stream()
            .collect(toMap(Map.Entry::getKey, each -> said(each.getValue())));
      case "write localities":
        JsonLines.texts(line.get("said")).forEach(localities::writeContainerToHostMapping);
        return null;
      case "read execution ids":
        return executionIds.readExecutionEnvironmentContainerIdMapping();
      case "write execution ids":
        JsonLines.texts(line.get("said")).forEach(executionIds::writeExecutionEnvironmentContainerIdMapping);
        return null;
      case "read containers":
        return tasks.readTaskAssignment();
      case "read modes":
        return tasks.readTaskModes().entrySet().stream()
            .collect(toMap(each -> each.getKey().getTaskName(), each -> each.getValue().toString()));
      case "write containers":
        tasks.writeTaskContainerMappings(JsonLines.map(line.get("said"), id -> id, Assignments::modes));
        return null;
      case "delete containers":
        tasks.deleteTaskContainerMappings(JsonLines.list(line.get("said"), JsonNode::textValue));
        return null;
      case "read partitions":
        return JsonLines.pairs(partitions.readTaskPartitionAssignments(), JsonLines::said, readers -> readers);
      case "write partitions":
        Map<SystemStreamPartition, List<String>> readers = new HashMap<>();
        line.get("said").forEach(pair ->
            readers.put(JsonLines.partition(pair.get(0)), JsonLines.list(pair.get(1), JsonNode::textValue)));
        partitions.writeTaskPartitionAssignments(readers);
        return null;
      case "delete partitions":
        partitions.delete(JsonLines.partitions(line.get("said")));
        return null;
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  private static Map<String, TaskMode> modes(JsonNode said) {
    return JsonLines.map(said, task -> task, mode -> TaskMode.valueOf(mode.textValue()));
  }

  private static List<String> said(ProcessorLocality locality) {
    return Arrays.asList(locality.id(), locality.host(), locality.jmxUrl(), locality.jmxTunnelingUrl());
  }
}
