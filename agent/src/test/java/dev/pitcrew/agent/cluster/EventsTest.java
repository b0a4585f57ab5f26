package dev.pitcrew.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.agent.cluster.ObjectEvent.Subject;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithControlPlane
class EventsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Events.Pace QUICK = new Events.Pace(100, Duration.ofMillis(1));

  /// Three, and then none for the rest of the test.
  private static final Events.Pace THREE = new Events.Pace(3, Duration.ofHours(1));

  private final ControlPlane plane;
  private String namespace;
  private Node node;
  private Link link;
  private ApiServer server;

  EventsTest(ControlPlane plane) {
    this.plane = plane;
  }

  @BeforeEach
  void connect(TestNamespace testNamespace, @TempDir Path folder) {
    namespace = testNamespace.name();
    link = Link.to(plane.apiServerAddress());
    server = ApiServer.of(TestAccount.create(plane, namespace, folder).at(link.address()));
    node =
        plane
            .client()
            .resource(new NodeBuilder().withNewMetadata().withName(namespace).endMetadata().build())
            .create();
  }

  @AfterEach
  void disconnect() {
    server.close();
    link.close();
    plane.client().events().v1().events().inNamespace("default").delete();
  }

  @Test
  void event_hasItsSubjectNoteAndReporter() {
    try (var events = Events.start(server, "agent-x", InstantSource.system())) {
      events.emit(event("broken: GPU 3 fell off the bus"));
      Event event =
          await().atMost(LIMIT).until(this::emitted, found -> !found.isEmpty()).getFirst();
      assertThat(event.getType()).isEqualTo("Warning");
      assertThat(event.getReason()).isEqualTo("Broken");
      assertThat(event.getNote()).isEqualTo("broken: GPU 3 fell off the bus");
      assertThat(event.getReportingController()).isEqualTo("pitcrew.dev/agent");
      assertThat(event.getReportingInstance()).isEqualTo("agent-x");
      assertThat(event.getRegarding().getKind()).isEqualTo("Node");
      assertThat(event.getRegarding().getUid()).isEqualTo(node.getMetadata().getUid());
    }
  }

  @Test
  void repeatedEvent_isCounted() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      events.emit(event("x"));
      await().atMost(LIMIT).until(() -> !emitted().isEmpty());
      events.emit(event("x"));
      events.emit(event("x"));
      await().atMost(LIMIT).until(() -> count(emitted().getFirst()) == 3);
      assertThat(emitted()).hasSize(1);
    }
  }

  @Test
  void sameOccurrence_isEmittedOnceByAnyNumberOfAgents() throws InterruptedException {
    for (int process = 0; process < 3; process++) {
      try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
        events.emit(event("x"), "the first");
        events.emit(event("x"), "the first");
        assertThat(events.awaitSent(LIMIT)).isTrue();
      }
    }
    assertThat(emitted())
        .singleElement()
        .satisfies(event -> assertThat(count(event)).isLessThan(2));
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      events.emit(event("x"), "the second");
      assertThat(events.awaitSent(LIMIT)).isTrue();
    }
    assertThat(emitted()).hasSize(2);
  }

  @Test
  void aStormCostsNoMoreCallsThanThePaceAllows() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), THREE)) {
      for (int i = 0; i < 1000; i++) {
        events.emit(event("one of a thousand"));
        events.emit(event("different " + i));
      }
      await().atMost(LIMIT).until(() -> emitted().size() == 3);
      await().during(Duration.ofSeconds(2)).atMost(LIMIT).until(() -> emitted().size() == 3);
    }
  }

  @Test
  void resetOfOneGpu_isReportedBesideSixteenThatHungAndRecovered() {
    try (var events = Events.start(server, "agent-x", InstantSource.system())) {
      for (int gpu = 0; gpu < 16; gpu++) {
        events.emit(event("GPU %d does not answer".formatted(gpu)));
        events.emit(event("GPU %d is healthy again".formatted(gpu)));
      }
      events.emit(event("GPU 0 needs a reset"));
      events.emit(event("GPU 0 is reset now"));
      events.emit(event("GPU 0 was reset"));
      await().atMost(LIMIT).until(() -> emitted().size() == 35);
    }
  }

  @Test
  void numberOfLostEvents_isReportedWithTheNext() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      link.breakDown();
      for (int i = 0; i < EventLedger.WAITING + 4; i++) {
        events.emit(event("different " + i));
      }
      link.restore();
      await().atMost(LIMIT).until(() -> emitted().size() == EventLedger.WAITING);
      assertThat(emitted().stream().map(Event::getNote))
          .filteredOn(note -> note.contains("more events were not reported"))
          .singleElement()
          .asString()
          .endsWith(" (4 more events were not reported)");
    }
  }

  @Test
  void eventsOfAnOutage_areEmittedAfterIt() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      plane.stopApiServer();
      events.emit(event("x"));
      events.emit(event("x"));
      plane.startApiServer();
      await().atMost(LIMIT).until(() -> emitted().size() == 1 && count(emitted().getFirst()) == 2);
    }
  }

  @Test
  void deletedEvent_isEmittedAgain() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      events.emit(event("x"));
      await().atMost(LIMIT).until(() -> !emitted().isEmpty());
      var first = emitted().getFirst();
      plane.client().resource(first).delete();
      events.emit(event("x"));
      await().atMost(LIMIT).until(() -> !emitted().isEmpty());
      assertThat(emitted().getFirst().getMetadata().getName())
          .isNotEqualTo(first.getMetadata().getName());
    }
  }

  @Test
  void anEventThatIsRefusedHoldsUpNoOther() {
    try (var events = Events.start(server, "agent-x", InstantSource.system(), QUICK)) {
      events.emit(
          new ObjectEvent(
              subject(), ObjectEvent.Type.NORMAL, "x".repeat(200), "too long a reason"));
      events.emit(event("x"));
      await().atMost(LIMIT).until(() -> emitted().size() == 1);
    }
  }

  @Test
  void aNoteThatIsTooLongIsCutOffAndKeepsTheNumberOfLostOnes() {
    String note = EventText.note("ü😀".repeat(500), 7);
    assertThat(note).startsWith("ü😀ü😀").endsWith("… (7 more events were not reported)");
    assertThat(note.getBytes(StandardCharsets.UTF_8).length).isBetween(1016, 1024);
  }

  private ObjectEvent event(String note) {
    return new ObjectEvent(subject(), ObjectEvent.Type.WARNING, "Broken", note);
  }

  private Subject subject() {
    return Subject.of(new JsonMapper().valueToTree(node));
  }

  private static int count(Event event) {
    return event.getSeries() == null ? 1 : event.getSeries().getCount();
  }

  private List<Event> emitted() {
    return plane.client().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> namespace.equals(event.getRegarding().getName()))
        .filter(event -> "pitcrew.dev/agent".equals(event.getReportingController()))
        .sorted(Comparator.comparing(event -> event.getMetadata().getName()))
        .toList();
  }
}
