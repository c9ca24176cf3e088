import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.samza.config.Config;
import org.apache.samza.coordinator.metadatastore.CoordinatorStreamStore;
import org.apache.samza.coordinator.metadatastore.CoordinatorStreamStore.CoordinatorMessageKey;
import org.apache.samza.coordinator.metadatastore.NamespaceAwareCoordinatorStreamStore;
import org.apache.samza.metadatastore.InMemoryMetadataStore;
import org.apache.samza.metadatastore.MetadataStore;
import org.apache.samza.metrics.MetricsRegistryMap;

/** The store that Samza's managers read and write: of the coordinator stream that a config leads to, or in memory. */
final class Stores {
  private Stores() {
  }

  /** An open store; in memory, if the config is empty. */
  static MetadataStore open(Config config) {
    MetadataStore store =
        config.isEmpty() ? new InMemoryMetadataStore() : new CoordinatorStreamStore(config, new MetricsRegistryMap());
    store.init();
    return store;
  }

  static MetadataStore namespace(MetadataStore store, String type) {
    return new NamespaceAwareCoordinatorStreamStore(store, type);
  }

  /** All that a store holds: type, key and value of each. */
  static List<List<String>> said(MetadataStore store) {
    List<List<String>> said = new ArrayList<>();
    store.all().forEach((name, value) -> {
      CoordinatorMessageKey key = CoordinatorStreamStore.deserializeCoordinatorMessageKeyFromJson(name);
      said.add(List.of(key.getNamespace(), key.getKey(), new String(value, StandardCharsets.UTF_8)));
    });
    return said;
  }
}
