package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class CacheTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final RecordingListener<ConfigMap> changes = new RecordingListener<>();
  private KubernetesClient client;
  private ConfigMaps maps;
  private CacheOptions<ConfigMap> options;
  private Cache<ConfigMap> cache;

  @BeforeEach
  void prepare(KubernetesClient shared, TestNamespace namespace) {
    client = shared;
    maps = new ConfigMaps(shared, namespace.name());
    options = CacheOptions.<ConfigMap>all().inNamespace(namespace.name());
    cache = Cache.of(client, ConfigMap.class, options);
  }

  @AfterEach
  void close() {
    cache.close();
  }

  @Test
  void listenersHearOfEveryChangeInOrder() throws InterruptedException {
    maps.create("before", "1");
    cache.listen(changes);
    cache.start();
    changes.expect("+before=1");
    maps.create("a", "1");
    maps.update("a", "2");
    maps.delete("a");
    changes.expect("+a=1", "~a=2", "-a");
  }

  @Test
  void aLateListenerHearsOfWhatIsThere() throws InterruptedException {
    maps.create("a", "1");
    assertThat(cache.start().awaitSync(LIMIT)).isTrue();
    cache.listen(changes);
    changes.expect("+a=1");
  }

  @Test
  void listenerOfAList_seesASyncedCache() throws InterruptedException {
    var synced = new LinkedBlockingQueue<Boolean>();
    cache.listenToLists(_ -> synced.add(cache.isSynced()));
    cache.start();
    assertThat(synced.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void objectsAreFoundByKey() throws InterruptedException {
    maps.create("a", "1");
    cache.start().awaitSync(LIMIT);
    assertThat(cache.get(new ObjectKey("", "ConfigMap", maps.namespace(), "a"))).isPresent();
    assertThat(cache.get(maps.namespace(), "b")).isEmpty();
  }

  @Test
  void objectsThatAreNotKeptCountAsAbsent() throws InterruptedException {
    cache =
        Cache.of(
            client,
            ConfigMap.class,
            options.keeping(map -> "kept".equals(map.getMetadata().getLabels().get("value"))));
    cache.listen(changes);
    cache.start().awaitSync(LIMIT);
    maps.create("a", "ignored");
    maps.update("a", "kept");
    maps.update("a", "ignored");
    maps.update("a", "kept");
    maps.delete("a");
    changes.expect("+a=kept", "-a", "+a=kept", "-a");
  }

  @Test
  void onlyTheSlimmedObjectIsHeld() throws InterruptedException {
    cache = Cache.of(client, ConfigMap.class, options.slimmedBy(CacheTest::withoutData));
    maps.create("a", "1");
    cache.start().awaitSync(LIMIT);
    assertThat(cache.get(maps.namespace(), "a").orElseThrow().getData()).isNullOrEmpty();
  }

  @Test
  void fieldSetsOfManagersAreLeftOut() throws InterruptedException {
    maps.create("a", "1");
    cache.start().awaitSync(LIMIT);
    ConfigMap held = cache.get(maps.namespace(), "a").orElseThrow();
    assertThat(held.getMetadata().getManagedFields())
        .isNotEmpty()
        .allSatisfy(entry -> assertThat(entry.getFieldsV1()).isNull())
        .allSatisfy(entry -> assertThat(entry.getOperation()).isEqualTo("Update"));
  }

  @Test
  void textsOfLabelsAreShared() {
    assertThat(Slim.sharedLabels(labelled()).get("value"))
        .isEqualTo("1")
        .isSameAs(Slim.sharedLabels(labelled()).get("value"));
  }

  /// Texts of its own, as they come from the wire.
  private static ConfigMap labelled() {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .addToLabels(new String("value".toCharArray()), new String("1".toCharArray()))
        .endMetadata()
        .build();
  }

  @Test
  void selectorsNarrowWhatIsRead() throws InterruptedException {
    cache =
        Cache.of(
            client, ConfigMap.class, options.withLabels("value=1").withFields("metadata.name!=c"));
    maps.create("a", "1");
    maps.create("b", "2");
    maps.create("c", "1");
    cache.start().awaitSync(LIMIT);
    assertThat(cache.stream().map(map -> map.getMetadata().getName())).containsExactly("a");
  }

  @Test
  void moreObjectsThanFitOnePageAreRead() throws InterruptedException {
    cache = Cache.of(client, ConfigMap.class, options.withLabels("value=page"));
    IntStream.range(0, 501).parallel().forEach(i -> maps.create("m" + i, "page"));
    cache.start().awaitSync(LIMIT);
    assertThat(cache.all()).hasSize(501);
  }

  private static ConfigMap withoutData(ConfigMap map) {
    map.setData(null);
    return map;
  }
}
