package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.cluster.WatchedObject.Present;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A watch behind a link that fails; the object changes by a sound one.
@WithControlPlane
class ObjectWatchTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration SILENCE = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(3);

  private final ControlPlane plane;
  private final Seen seen = new Seen();
  private String namespace;
  private TestAccount account;
  private Link link;
  private ApiServer server;

  ObjectWatchTest(ControlPlane plane) {
    this.plane = plane;
  }

  @BeforeEach
  void connect(TestNamespace testNamespace, @TempDir Path folder) {
    namespace = testNamespace.name();
    account = TestAccount.create(plane, namespace, folder);
    link = Link.to(plane.apiServerAddress());
    server = ApiServer.of(account.at(link.address()));
  }

  @AfterEach
  void disconnect() {
    server.close();
    link.close();
  }

  @Test
  void object_isPublishedFirst_thenEachChange() throws InterruptedException {
    try (var _ = watch(LONG)) {
      seen.expect("-");
      create("1");
      seen.expect("1");
      update("2");
      delete();
      create("3");
      seen.expect("2", "-", "3");
    }
  }

  @Test
  void anotherObject_isNotPublished() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      seen.expect("1");
      plane.client().resource(map("other", "x")).create();
      update("2");
      seen.expect("2");
    }
  }

  @Test
  void objectOfAList_hasItsKind_asThatOfAWatch() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      for (var sighting = seen.next(); ; sighting = seen.next()) {
        var object = ((Present) sighting).object();
        assertThat(object.path("kind").asText()).isEqualTo("ConfigMap");
        assertThat(object.path("apiVersion").asText()).isEqualTo("v1");
        if (object.at("/data/value").asText().equals("2")) {
          return;
        }
        update("2");
      }
    }
  }

  @Test
  void aWatchThatIsCutGoesOnWhereItStoodWithoutAList() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      seen.expect("1");
      for (int i = 2; i < 5; i++) {
        link.cut();
        update("" + i);
        seen.expect("" + i);
      }
      assertThat(lists()).isEqualTo(1);
      assertThat(seen.rest()).isEmpty();
    }
  }

  @Test
  void aConnectionThatFallsSilentIsReplaced() throws InterruptedException {
    create("1");
    try (var _ = watch(SILENCE)) {
      seen.expect("1");
      awaitCalls(2);
      link.freeze();
      update("2");
      seen.expect("2");
      assertThat(lists()).isEqualTo(1);
    }
  }

  @Test
  void changesOfAnOutage_arePublishedAfterIt_andTheTroubleWithThem() throws InterruptedException {
    create("1");
    try (var watch = watch(LONG)) {
      seen.expect("1");
      link.breakDown();
      await().atMost(LIMIT).until(() -> watch.problem().isPresent());
      delete();
      create("2");
      link.restore();
      seen.expect("-", "2");
      await().atMost(LIMIT).until(() -> watch.problem().isEmpty());
      assertThat(lists()).isEqualTo(1);
    }
  }

  @Test
  void restartedApiServer_isFoundAgain() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      seen.expect("1");
      plane.stopApiServer();
      plane.startApiServer();
      update("2");
      seen.expect("2");
    }
  }

  @Test
  void aPlaceThatTheServerHasForgottenIsAnsweredByAList() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      seen.expect("1");
      link.breakDown();
      update("2");
      delete();
      plane.stopApiServer();
      plane.startApiServer(); // its watch cache begins with what is in etcd now
      plane.forgetHistory();
      link.restore();
      seen.expect("-");
      create("3");
      seen.expect("3");
      assertThat(lists()).isEqualTo(2);
    }
  }

  @Test
  void expiredToken_isReadAgain() throws InterruptedException {
    create("1");
    try (var watch = watch(LONG)) {
      seen.expect("1");
      account.writeToken("expired");
      link.cut();
      await().atMost(LIMIT).until(() -> watch.problem().orElse("").startsWith("401"));
      account.writeToken(account.newToken());
      update("2");
      seen.expect("2");
    }
  }

  @Test
  void forbiddenObject_isReportedAsTrouble_andNotAsAbsent() {
    var path = ObjectPath.of("v1", "secrets", namespace, "s");
    try (var watch = ObjectWatch.start(server, path, seen)) {
      await().atMost(LIMIT).until(() -> watch.problem().orElse("").startsWith("403"));
      assertThat(seen.rest()).isEmpty();
    }
  }

  @Test
  void anIdleWatchMakesNoCallsAndAllWatchesShareOneConnection() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG);
        var _ = watch(LONG);
        var _ = watch(LONG)) {
      seen.expect("1", "1", "1");
      awaitCalls(6);
      await().during(Duration.ofSeconds(8)).atMost(LIMIT).until(() -> calls().size() == 6);
      assertThat(link.opened()).isEqualTo(1);
    }
  }

  @Test
  void unchangedObject_isNotPublished() throws InterruptedException {
    create("1");
    try (var _ = watch(LONG)) {
      seen.expect("1");
      awaitCalls(2);
      link.breakDown();
      plane.stopApiServer();
      plane.startApiServer();
      plane.client().resource(map("other", "x")).create();
      link.restore();
      awaitCalls(3);
      update("2");
      seen.expect("2");
    }
  }

  private ObjectWatch watch(Duration silence) {
    return ObjectWatch.start(
        server, ObjectPath.of("v1", "configmaps", namespace, "c"), silence, seen);
  }

  private void awaitCalls(int count) {
    await().atMost(LIMIT).until(() -> calls().size() >= count);
  }

  private long lists() {
    return calls().stream().filter("list"::equals).count();
  }

  private List<String> calls() {
    return plane.auditLog().requestsOf(account.user()).stream()
        .map(request -> request.verb())
        .toList();
  }

  private void create(String value) {
    plane.client().resource(map("c", value)).create();
  }

  private void update(String value) {
    plane.client().resource(map("c", value)).update();
  }

  private void delete() {
    plane.client().configMaps().inNamespace(namespace).withName("c").delete();
  }

  private ConfigMap map(String name, String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .endMetadata()
        .addToData("value", value)
        .build();
  }
}
