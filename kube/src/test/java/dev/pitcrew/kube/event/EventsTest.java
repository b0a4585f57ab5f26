package dev.pitcrew.kube.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class EventsTest {

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
  void anEventTellsWhatHappenedToWhom() {
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
  void whatIsSaidOnceIsSaidOnceByAllProcesses() {
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
  void whatTheApiServerDidNotTakeIsNotSaid() {
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
