package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A cache behind a link that fails; the objects change by a sound one.
@WithControlPlane
class CacheHealingTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private final RecordingListener<ConfigMap> changes = new RecordingListener<>();
  private ConfigMaps maps;
  private Link link;
  private KubernetesClient client;
  private Cache<ConfigMap> cache;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder) throws Exception {
    maps = new ConfigMaps(plane.client(), namespace.name());
    link = Link.to(plane.apiServerAddress());
    client = Clients.create(ClientOptions.from(link.kubeconfig(plane, folder)));
    var options = CacheOptions.<ConfigMap>all().inNamespace(namespace.name()).silentFor(SILENCE);
    cache = Cache.of(client, ConfigMap.class, options);
    maps.create("a", "1");
    maps.create("b", "1");
    cache.start().awaitSync(LIMIT);
    cache.listen(changes);
    changes.rest().clear();
  }

  @AfterEach
  void close() {
    cache.close();
    client.close();
    link.close();
  }

  @Test
  void aWatchThatFallsSilentIsReplaced(ControlPlane plane) throws InterruptedException {
    link.freeze();
    maps.update("a", "2");
    changes.expect("~a=2");
    assertThat(changes.rest()).isEmpty();
    assertThat(lists(plane)).isEqualTo(1);
  }

  @Test
  void watchThatIsCut_continuesFromItsPosition_withoutANewList(ControlPlane plane)
      throws InterruptedException {
    for (int i = 2; i < 6; i++) {
      link.cut();
      maps.update("a", "" + i);
      changes.expect("~a=" + i);
    }
    assertThat(changes.rest()).isEmpty();
    assertThat(lists(plane)).isEqualTo(1);
  }

  @Test
  void aSilenceThatMeetsNewConnectionsTooIsOutlived(ControlPlane plane)
      throws InterruptedException {
    link.fallSilent();
    maps.update("a", "2");
    maps.delete("b");
    assertThat(link.awaitFailures(1, LIMIT)).isTrue();
    link.speak();
    changes.expect("~a=2", "-b");
    assertThat(changes.rest()).isEmpty();
    assertThat(lists(plane)).isEqualTo(1);
  }

  @Test
  void anOutageOfManyAttemptsCostsNoListEither(ControlPlane plane) throws InterruptedException {
    link.breakDown();
    maps.update("a", "2");
    maps.delete("b");
    assertThat(link.awaitFailures(20, LIMIT)).isTrue();
    link.restore();
    changes.expect("~a=2", "-b");
    assertThat(changes.rest()).isEmpty();
    assertThat(lists(plane)).isEqualTo(1);
  }

  @Test
  void changesAndDeletionsDuringAnOutage_arePublishedAfterIt() throws InterruptedException {
    link.breakDown();
    maps.update("a", "2");
    maps.delete("b");
    link.restore();
    changes.expect("~a=2", "-b");
  }

  @Test
  void expiredResourceVersion_leadsToANewList(ControlPlane plane) throws InterruptedException {
    link.breakDown();
    maps.delete("b");
    maps.update("a", "2");
    plane.stopApiServer();
    plane.startApiServer(); // its watch cache begins with what is in etcd now
    maps.update("a", "3");
    link.restore();
    changes.expect("~a=3", "-b");
  }

  /// The lists that the cache has asked for.
  private long lists(ControlPlane plane) {
    return plane.auditLog().requests().stream()
        .filter(request -> request.namespace().equals(maps.namespace()))
        .filter(request -> request.userAgent().equals("pitcrew") && request.verb().equals("list"))
        .count();
  }
}
