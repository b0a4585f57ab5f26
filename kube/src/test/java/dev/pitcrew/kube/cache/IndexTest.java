package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class IndexTest {
  private final RecordingListener<ConfigMap> changes = new RecordingListener<>();
  private ConfigMaps maps;
  private Cache<ConfigMap> cache;
  private Index<ConfigMap> byValue;

  @BeforeEach
  void prepare(KubernetesClient client, TestNamespace namespace) {
    maps = new ConfigMaps(client, namespace.name());
    cache =
        Cache.of(
            client, ConfigMap.class, CacheOptions.<ConfigMap>all().inNamespace(namespace.name()));
    byValue = Index.of(cache, map -> map.getData().getOrDefault("value", ""));
    cache.listen(changes);
    cache.start();
  }

  @AfterEach
  void close() {
    cache.close();
  }

  @Test
  void objectsAreFoundByWhatTheySay() throws InterruptedException {
    maps.create("a", "red");
    maps.create("b", "red");
    maps.create("c", "green");
    changes.expect("+a=red", "+b=red", "+c=green");
    assertThat(names("red")).containsExactlyInAnyOrder("a", "b");
    assertThat(names("green")).containsExactly("c");
    assertThat(names("blue")).isEmpty();
  }

  @Test
  void indexedValue_mayChange() throws InterruptedException {
    maps.create("a", "red");
    maps.create("b", "red");
    maps.update("a", "green");
    changes.expect("+a=red", "+b=red", "~a=green");
    assertThat(names("red")).containsExactly("b");
    assertThat(names("green")).containsExactly("a");
  }

  @Test
  void theNewestStateIsFound() throws InterruptedException {
    maps.create("a", "red");
    maps.named("a").edit(map -> map.edit().addToData("more", "yes").build());
    changes.expect("+a=red", "~a=red");
    assertThat(byValue.get("red"))
        .singleElement()
        .satisfies(map -> assertThat(map.getData()).containsEntry("more", "yes"));
  }

  @Test
  void deletedObject_isNotFound() throws InterruptedException {
    maps.create("a", "red");
    maps.create("b", "red");
    maps.delete("a");
    maps.delete("b");
    changes.expect("+a=red", "+b=red", "-a", "-b");
    assertThat(names("red")).isEmpty();
  }

  private List<String> names(String value) {
    return byValue.get(value).stream().map(map -> map.getMetadata().getName()).toList();
  }
}
