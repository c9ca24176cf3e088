import static java.util.stream.Collectors.toMap;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.samza.container.TaskName;
import org.apache.samza.metadatastore.MetadataStore;
import org.apache.samza.startpoint.Startpoint;
import org.apache.samza.startpoint.StartpointManager;
import org.apache.samza.startpoint.StartpointOldest;
import org.apache.samza.startpoint.StartpointSpecific;
import org.apache.samza.startpoint.StartpointTimestamp;
import org.apache.samza.startpoint.StartpointUpcoming;
import org.apache.samza.startpoint.StartpointVisitor;
import org.apache.samza.startpoint.TimedStartpoints;
import org.apache.samza.system.SystemStreamPartition;

/** Writes, reads, fans out and removes startpoints through Samza's own StartpointManager. */
public final class Startpoints {
  private final MetadataStore store;
  private final StartpointManager manager;

  private Startpoints(MetadataStore store) {
    this.store = store;
    this.manager = new StartpointManager(store);
    manager.start();
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    MetadataStore store = Stores.open(lines.config());
    lines.answer(new Startpoints(store)::answer);
    store.close();
  }

  private Object answer(JsonNode line) throws IOException {
    switch (line.get("call").textValue()) {
      case "write":
        write(JsonLines.partition(line.get("partition")), task(line), startpoint(line.get("startpoint")));
        return null;
      case "read":
        return read(JsonLines.partition(line.get("partition")), task(line)).map(Startpoints::said).orElse(null);
      case "delete":
        delete(JsonLines.partition(line.get("partition")), task(line));
        return null;
      case "fan out":
        Map<TaskName, Map<SystemStreamPartition, Startpoint>> fannedOut =
            manager.fanOut(JsonLines.map(line.get("tasks"), TaskName::new, JsonLines::partitions));
        return fannedOut.entrySet().stream().collect(toMap(each -> each.getKey().getTaskName(), each -> said(each.getValue())));
      case "get fan out":
        return said(manager.getFanOutForTask(task(line)));
      case "remove":
        manager.removeFanOutForTaskSSPs(task(line), JsonLines.partitions(line.get("partitions")));
        return null;
      case "remove all":
        manager.removeFanOutForTask(task(line));
        return null;
      case "clear":
        manager.deleteAllStartpoints();
        manager.removeAllFanOuts();
        return null;
      case "stored":
        return Stores.said(store);
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  private static TaskName task(JsonNode line) {
    String name = JsonLines.text(line, "task");
    return name == null ? null : new TaskName(name);
  }

  private void write(SystemStreamPartition partition, TaskName task, Startpoint startpoint) {
    if (task == null) {
      manager.writeStartpoint(partition, startpoint);
    } else {
      manager.writeStartpoint(partition, task, startpoint);
    }
  }

  private Optional<Startpoint> read(SystemStreamPartition partition, TaskName task) {
    return task == null ? manager.readStartpoint(partition) : manager.readStartpoint(partition, task);
  }

  private void delete(SystemStreamPartition partition, TaskName task) {
    if (task == null) {
      manager.deleteStartpoint(partition);
    } else {
      manager.deleteStartpoint(partition, task);
    }
  }

  /** A startpoint as its class, its time and its value. */
  static Startpoint startpoint(JsonNode said) {
    String type = said.get(0).textValue();
    long created = said.get(1).longValue();
    switch (type) {
      case "StartpointSpecific":
        return TimedStartpoints.of(type, created, "specificOffset", said.get(2).textValue());
      case "StartpointTimestamp":
        return TimedStartpoints.of(type, created, "timestampOffset", said.get(2).longValue());
      default:
        return TimedStartpoints.of(type, created, null, null);
    }
  }

  private static List<List<Object>> said(Map<SystemStreamPartition, Startpoint> startpoints) {
    return JsonLines.pairs(startpoints, JsonLines::said, Startpoints::said);
  }

  private static Object said(Startpoint startpoint) {
    Object value = startpoint.apply(null, new Value());
    return Arrays.asList(startpoint.getClass().getSimpleName(), startpoint.getCreationTimestamp(), value);
  }

  /** What a startpoint has beside its time. */
  private static final class Value implements StartpointVisitor<Void, Object> {
    @Override
    public Object visit(Void nothing, StartpointSpecific startpoint) {
      return startpoint.getSpecificOffset();
    }

    @Override
    public Object visit(Void nothing, StartpointTimestamp startpoint) {
      return startpoint.getTimestampOffset();
    }

    @Override
    public Object visit(Void nothing, StartpointOldest startpoint) {
      return null;
    }

    @Override
    public Object visit(Void nothing, StartpointUpcoming startpoint) {
      return null;
    }
  }
}
