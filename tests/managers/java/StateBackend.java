import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.samza.Partition;
import org.apache.samza.checkpoint.Checkpoint;
import org.apache.samza.checkpoint.CheckpointId;
import org.apache.samza.config.Config;
import org.apache.samza.config.StorageConfig;
import org.apache.samza.container.TaskName;
import org.apache.samza.context.ContainerContextImpl;
import org.apache.samza.context.JobContext;
import org.apache.samza.context.JobContextImpl;
import org.apache.samza.job.model.ContainerModel;
import org.apache.samza.job.model.JobModel;
import org.apache.samza.job.model.TaskModel;
import org.apache.samza.metrics.MetricsRegistry;
import org.apache.samza.metrics.MetricsRegistryMap;
import org.apache.samza.serializers.StringSerde;
import org.apache.samza.storage.KafkaChangelogRestoreParams;
import org.apache.samza.storage.KafkaChangelogStateBackendFactory;
import org.apache.samza.storage.StorageEngine;
import org.apache.samza.storage.StorageEngineFactory.StoreMode;
import org.apache.samza.storage.TaskBackupManager;
import org.apache.samza.storage.TaskRestoreManager;
import org.apache.samza.storage.kv.KeyValueIterator;
import org.apache.samza.storage.kv.KeyValueStorageEngine;
import org.apache.samza.storage.kv.inmemory.InMemoryKeyValueStorageEngineFactory;
import org.apache.samza.system.SystemAdmin;
import org.apache.samza.system.SystemConsumer;
import org.apache.samza.system.SystemFactory;
import org.apache.samza.system.SystemProducer;
import org.apache.samza.system.SystemStreamPartition;
import org.apache.samza.system.kafka.KafkaSystemFactory;
import org.apache.samza.task.MessageCollector;
import org.apache.samza.util.SystemClock;

/**
 * Restores, changes and commits a task's stores in memory through Samza's own KafkaChangelogStateBackendFactory.
 *
 * A {@code restore} begins with empty stores, and answers with the entries of all of them; a null {@code checkpoint} is
 * none. {@code write} puts and deletes the {@code changes} of a {@code store}. {@code commit} answers with the markers.
 */
public final class StateBackend {
  private static final String SYSTEM = "kafka";

  private final Config config;
  private final SystemFactory system = new KafkaSystemFactory();
  private final MetricsRegistry metrics = new MetricsRegistryMap();
  private final SystemAdmin admin;
  private final SystemProducer producer;
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private final Map<String, KeyValueStorageEngine<String, String>> stores = new TreeMap<>();

  private StateBackend(Config config) {
    this.config = config;
    admin = system.getAdmin(SYSTEM, config, "test");
    admin.start();
    producer = system.getProducer(SYSTEM, config, metrics, "test");
    producer.register("test");
    producer.start();
  }

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    StateBackend backend = new StateBackend(lines.config());
    lines.answer(backend::answer);
    backend.producer.stop();
    backend.admin.stop();
    backend.executor.shutdown();
  }

  private Object answer(JsonNode line) throws Exception {
    switch (line.get("call").textValue()) {
      case "restore":
        restore(line, line.get("checkpoint").isNull() ? null : CheckpointTopic.checkpoint(line.get("checkpoint")));
        return entries();
      case "write":
        KeyValueStorageEngine<String, String> store = stores.get(line.get("store").textValue());
        JsonLines.texts(line.get("changes")).forEach((key, value) -> change(store, key, value));
        store.flush();
        producer.flush("test");
        return null;
      case "commit":
        CheckpointId id = CheckpointId.deserialize(line.get("id").textValue());
        TaskBackupManager manager = new KafkaChangelogStateBackendFactory().getBackupManager(
            job(task(line)), container(task(line)), task(line), Map.of(SYSTEM, admin), executor, metrics, config,
            SystemClock.instance(), null, null);
        return manager.upload(id, manager.snapshot(id)).get();
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  private static void change(KeyValueStorageEngine<String, String> store, String key, String value) {
    if (value == null) {
      store.delete(key);
    } else {
      store.put(key, value);
    }
  }

  private void restore(JsonNode line, Checkpoint checkpoint) throws Exception {
    TaskModel task = task(line);
    open(task);
    SystemConsumer consumer = system.getConsumer(SYSTEM, config, metrics, "test");
    Map<String, SystemConsumer> consumers = new HashMap<>();
    stores.keySet().forEach(store -> consumers.put(store, consumer));
    Map<String, StorageEngine> engines = new HashMap<>(stores);
    KafkaChangelogRestoreParams parameters = new KafkaChangelogRestoreParams(
        consumers, engines, Map.of(SYSTEM, admin), Map.of(), Map.of(), collector());
    TaskRestoreManager manager = new KafkaChangelogStateBackendFactory().getRestoreManager(
        job(task), new ContainerContextImpl(container(task), metrics), task, executor, metrics, Set.of(), config,
        SystemClock.instance(), new File("none"), new File("none"), parameters);
    manager.init(checkpoint);
    consumer.start();
    try {
      manager.restore().get();
      producer.flush("test");
    } finally {
      consumer.stop();
      manager.close();
    }
  }

  @SuppressWarnings("unchecked")
  private void open(TaskModel task) {
    stores.clear();
    StorageConfig storage = new StorageConfig(config);
    storage.getStoreChangelogs().forEach((name, changelog) -> stores.put(name,
        (KeyValueStorageEngine<String, String>) new InMemoryKeyValueStorageEngineFactory<String, String>().getStorageEngine(
            name, new File("none"), new StringSerde(), new StringSerde(), collector(), metrics,
            new SystemStreamPartition(changelog, task.getChangelogPartition()), job(task),
            new ContainerContextImpl(container(task), metrics), StoreMode.ReadWrite)));
  }

  private MessageCollector collector() {
    return envelope -> producer.send("test", envelope);
  }

  private Map<String, Map<String, String>> entries() {
    Map<String, Map<String, String>> found = new HashMap<>();
    stores.forEach((name, store) -> {
      Map<String, String> entries = new HashMap<>();
      KeyValueIterator<String, String> all = store.all();
      all.forEachRemaining(entry -> entries.put(entry.getKey(), entry.getValue()));
      all.close();
      found.put(name, entries);
    });
    return found;
  }

  private static TaskModel task(JsonNode line) {
    Partition changelog = new Partition(line.get("partition").intValue());
    return new TaskModel(new TaskName(line.get("task").textValue()), Set.of(), changelog);
  }

  private static ContainerModel container(TaskModel task) {
    return new ContainerModel("0", Map.of(task.getTaskName(), task));
  }

  private JobContext job(TaskModel task) {
    return JobContextImpl.fromConfigWithDefaults(config, new JobModel(config, Map.of("0", container(task))));
  }
}
