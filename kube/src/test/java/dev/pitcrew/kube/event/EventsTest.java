package dev.pitcrew.kube.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class EventsTest {
  private static final int SERVER_ERROR = 500;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private KubernetesClient client;
  private ConfigMap object;
  private Events events;

  @BeforeEach
  void createObject(KubernetesClient shared, TestNamespace namespace) {
    client = shared;
    events = new Events(client, new Writes(), "pitcrew-0", () -> now);
    object =
        client
            .resource(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("o")
                    .withNamespace(namespace.name())
                    .endMetadata()
                    .build())
            .create();
  }

  @Test
  void event_hasItsSubjectAndNote() {
    events.emit(object, Events.Type.WARNING, "Broken", "because");
    Event event = emitted().getFirst();
    assertThat(event.getType()).isEqualTo("Warning");
    assertThat(event.getReason()).isEqualTo("Broken");
    assertThat(event.getNote()).isEqualTo("because");
    assertThat(event.getReportingController()).isEqualTo("pitcrew");
    assertThat(event.getRegarding().getUid()).isEqualTo(object.getMetadata().getUid());
  }

  @Test
  void aNameInManyPartsIsNoObstacle() {
    object.getMetadata().setName("cluster-policy.of.many-parts");
    events.emit(object, Events.Type.NORMAL, "Fine", "x");
    assertThat(emitted().getFirst().getMetadata().getName())
        .startsWith("cluster-policy.of.many-parts-");
  }

  @Test
  void aProcessWithoutAPodNameSpeaksForItsHost() {
    new Events(client, new Writes(), "", () -> now).emit(object, Events.Type.NORMAL, "Fine", "x");
    assertThat(emitted().getFirst().getReportingInstance()).isNotEmpty();
  }

  @Test
  void emitOnce_emitsOneEventForAllProcesses() {
    var message = new Events.Message(Events.Type.WARNING, "Impossible", "because");
    assertThat(events.emitOnce(object, message, "topic")).isTrue();
    assertThat(events.emitOnce(object, message, "topic")).isTrue();
    var next = new Events(client, new Writes(), "pitcrew-1", () -> now);
    var otherWords = new Events.Message(Events.Type.WARNING, "Impossible", "other words");
    assertThat(next.emitOnce(object, otherWords, "topic")).isTrue();
    assertThat(emitted()).singleElement().extracting(Event::getNote).isEqualTo("because");
    assertThat(next.emitOnce(object, otherWords, "other topic")).isTrue();
    assertThat(emitted()).hasSize(2);
  }

  @Test
  void eventThatTheApiServerRefused_isNotCountedAsEmitted() {
    object.getMetadata().setNamespace("gone");
    var message = new Events.Message(Events.Type.NORMAL, "Fine", "x");
    assertThat(events.emitOnce(object, message, "topic")).isFalse();
  }

  @Test
  void theSameWordsAreSaidOnceInTenMinutes() {
    events.emit(object, Events.Type.NORMAL, "Fine", "x");
    now = now.plus(Duration.ofMinutes(9));
    events.emit(object, Events.Type.NORMAL, "Fine", "x");
    assertThat(emitted()).hasSize(1);
    events.emit(object, Events.Type.NORMAL, "Fine", "other words");
    assertThat(emitted()).hasSize(2);
    now = now.plus(Duration.ofMinutes(1));
    events.emit(object, Events.Type.NORMAL, "Fine", "x");
    assertThat(emitted()).hasSize(3);
  }

  /// As a disruption budget counts its pods.
  @Test
  void numbersInABlocker_areNoChange() {
    events.emitBlocker(
        object, "EvictionBlocked", "web-1: PDB web needs 3 pods and has 2 currently");
    events.emitBlocker(
        object, "EvictionBlocked", "web-1: PDB web needs 3 pods and has 1 currently");
    assertThat(emitted()).hasSize(1);
    events.emitBlocker(
        object, "EvictionBlocked", "web-2: PDB web needs 3 pods and has 1 currently");
    assertThat(emitted()).hasSize(2);
  }

  @Test
  void theSameWordsAboutThousandsOfObjectsAreSaidOnce() {
    var filter = new EventFilter(() -> now);
    var sent = 0L;
    for (var round = 0; round < 10; round++) {
      sent += IntStream.range(0, 5_000).filter(it -> isAdmitted(filter, it, "Said")).count();
      now = now.plus(Duration.ofSeconds(50));
    }
    assertThat(sent).isEqualTo(5_000);
  }

  @Test
  void aProcessSendsSoManyAtOnceAndThenTwentyASecond() {
    var filter = new EventFilter(() -> now);
    assertThat(IntStream.range(0, 3_000).filter(it -> isAdmitted(filter, it, "Said")))
        .hasSize(1_000);

    now = now.plus(Duration.ofSeconds(2));

    assertThat(IntStream.range(3_000, 6_000).filter(it -> isAdmitted(filter, it, "Said")))
        .hasSize(40);
  }

  @Test
  void anObjectIsSpokenOfSoOftenAtOnceAndThenOnceAMinute() {
    var filter = new EventFilter(() -> now);
    assertThat(IntStream.range(0, 99).filter(it -> isAdmitted(filter, 1, "Said" + it))).hasSize(50);
    assertThat(isAdmitted(filter, 2, "Said")).isTrue();

    now = now.plus(Duration.ofMinutes(3));

    assertThat(IntStream.range(100, 199).filter(it -> isAdmitted(filter, 1, "Said" + it)))
        .hasSize(3);
  }

  @Test
  void aClockThatIsSetBackStopsNoEvents() {
    var filter = new EventFilter(() -> now);
    IntStream.range(0, 50).forEach(it -> isAdmitted(filter, 1, "Said" + it));
    now = now.minus(Duration.ofDays(1));
    assertThat(isAdmitted(filter, 1, "Said at once")).isFalse();

    now = now.plus(Duration.ofMinutes(1));

    assertThat(isAdmitted(filter, 1, "Said later")).isTrue();
  }

  private static boolean isAdmitted(EventFilter filter, int node, String note) {
    return filter.admits(
        new EventFilter.Topic(ObjectKey.of("v1", "Node", "", "node-" + node), "Reason", note));
  }

  @Test
  void aNoteThatIsTooLongIsCutOff() {
    events.emit(object, Events.Type.NORMAL, "Long", "ü😀".repeat(500));
    assertThat(emitted().getFirst().getNote()).endsWith("…").startsWith("ü😀ü😀");
    assertThat(emitted().getFirst().getNote().getBytes(StandardCharsets.UTF_8).length)
        .isBetween(1016, 1024);
  }

  @Test
  void anEventThatIsRefusedIsNoError() {
    events.emit(object, Events.Type.NORMAL, "x".repeat(200), "a reason that is too long");
    assertThat(emitted()).isEmpty();
  }

  /// An Event is not worth three times the load on an API server that is in trouble: the webhook of
  /// another product that does not answer makes each Event a 500.
  @Test
  void anEventThatFailsWithServerErrorIsSentOnce(ControlPlane plane, TestNamespace namespace) {
    try (KubernetesClient own = Clients.create(ClientOptions.from(plane.kubeconfigFile()))) {
      client.resource(unreachableWebhook(namespace.name())).create();
      var failing = new Events(own, new Writes(), "pitcrew-0", () -> now);
      await()
          .untilAsserted(() -> {
            failing.emit(object, Events.Type.NORMAL, "Probe" + System.nanoTime(), "x");
            assertThat(posts(plane, namespace)).extracting(Request::status).contains(SERVER_ERROR);
          });
      long before = failures(plane, namespace);

      failing.emit(object, Events.Type.NORMAL, "Fine", "x");

      // The audit log may have an answer a moment after its client.
      await().until(() -> failures(plane, namespace) > before);
      failing.emit(object, Events.Type.NORMAL, "Fine", "y");
      await().until(() -> failures(plane, namespace) > before + 1);
      assertThat(failures(plane, namespace)).isEqualTo(before + 2);
    } finally {
      client.resource(unreachableWebhook(namespace.name())).delete();
    }
  }

  private static long failures(ControlPlane plane, TestNamespace namespace) {
    return posts(plane, namespace).stream().filter(it -> it.status() == SERVER_ERROR).count();
  }

  private static List<Request> posts(ControlPlane plane, TestNamespace namespace) {
    return plane.auditLog().requests().stream()
        .filter(it ->
            it.resource().equals("events.k8s.io/events") && it.namespace().equals(namespace.name()))
        .filter(it -> it.verb().equals("create"))
        .toList();
  }

  private static ValidatingWebhookConfiguration unreachableWebhook(String namespace) {
    return new ValidatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(namespace + "-unreachable")
        .endMetadata()
        .addNewWebhook()
        .withName("unreachable.example.com")
        .withAdmissionReviewVersions("v1")
        .withSideEffects("None")
        .withFailurePolicy("Fail")
        .withTimeoutSeconds(1)
        .withNewClientConfig()
        .withUrl("https://127.0.0.1:1/")
        .endClientConfig()
        .withNewNamespaceSelector()
        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
        .endNamespaceSelector()
        .addNewRule()
        .withApiGroups("events.k8s.io")
        .withApiVersions("v1")
        .withOperations("CREATE")
        .withResources("events")
        .endRule()
        .endWebhook()
        .build();
  }

  private List<Event> emitted() {
    return client
        .events()
        .v1()
        .events()
        .inNamespace(object.getMetadata().getNamespace())
        .list()
        .getItems();
  }
}
