package dev.pitcrew.kube.event;

import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.apply.Verb;
import dev.pitcrew.kube.apply.Writes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Emits Events of `events.k8s.io/v1`. The same words about the same object are said once in ten
/// minutes; what cannot be said is logged and given up.
public final class Events {

  /// Whether something is wrong.
  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String text;

    Type(String text) {
      this.text = text;
    }
  }

  /// What an Event says.
  ///
  /// @param reason CamelCase, at most 128 characters
  /// @param note for people; cut off after 1024 bytes
  public record Message(Type type, String reason, String note) {}

  private record Saying(ObjectKey regarding, String reason, String note) {}

  private static final Logger log = LoggerFactory.getLogger(Events.class);
  private static final String CONTROLLER = "pitcrew";
  private static final Duration REPEAT_AFTER = Duration.ofMinutes(10);

  /// The API server takes no other number of digits.
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);

  private static final int REMEMBERED = 2_000;
  private static final int LONGEST_NAME = 200;
  private static final int CONFLICT = 409;

  private final KubernetesClient client;
  private final Writes writes;
  private final String instance;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final SequencedMap<Saying, Instant> said = new LinkedHashMap<>();

  /// Events of this process.
  ///
  /// @param instance tells this process from others of its kind; the pod's name, or empty for the
  ///   host's, as the API server wants one
  public Events(KubernetesClient client, Writes writes, String instance, InstantSource clock) {
    this.client = client;
    this.writes = writes;
    this.instance = instance.isEmpty() ? hostName() : instance;
    this.clock = clock;
  }

  /// Says something about an object. Never throws.
  ///
  /// @param reason CamelCase, at most 128 characters
  /// @param note for people; cut off after 1024 bytes
  public void emit(HasMetadata regarding, Type type, String reason, String note) {
    var saying = new Saying(ObjectKey.of(regarding), reason, Note.fitted(note));
    if (!isNew(saying)) {
      return;
    }
    Event event = event(regarding, type, saying);
    try {
      writes.perform(Verb.CREATE, nameless(event), () -> client.resource(event).create());
    } catch (KubeException e) {
      forget(saying);
      log.warn("no event {} about {}: {}", reason, saying.regarding(), e.getMessage());
    }
  }

  /// Says something about an object that is not to be said again, not even by the process after
  /// this one, for as long as the API server keeps the Event (an hour, unless it was told
  /// otherwise). Never throws.
  ///
  /// @param topic tells what is said apart from what else is said about the object; the words may
  ///   change
  /// @return whether it has been said now or before
  public boolean emitOnce(HasMetadata regarding, Message message, String topic) {
    ObjectMeta metadata = regarding.getMetadata();
    var saying = new Saying(ObjectKey.of(regarding), message.reason(), Note.fitted(message.note()));
    Event event = event(regarding, message.type(), saying);
    event
        .getMetadata()
        .setName(
            "%s.%s"
                .formatted(
                    start(metadata.getName()), Fnv32a.decimal(metadata.getUid() + "/" + topic)));
    event.getMetadata().setGenerateName(null);
    try {
      writes.perform(Verb.CREATE, ObjectKey.of(event), () -> client.resource(event).create());
      return true;
    } catch (KubeException e) {
      if (e.status() == CONFLICT) {
        return true;
      }
      log.warn("no event {} about {}: {}", saying.reason(), saying.regarding(), e.getMessage());
      return false;
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return CONTROLLER;
    }
  }

  private Event event(HasMetadata regarding, Type type, Saying saying) {
    ObjectKey object = saying.regarding();
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(start(object.name()) + "-")
        .withNamespace(object.namespace().isEmpty() ? "default" : object.namespace())
        .endMetadata()
        .withEventTime(new MicroTime(MICRO_TIME.format(clock.instant())))
        .withReportingController(CONTROLLER)
        .withReportingInstance(instance)
        .withAction(saying.reason())
        .withType(type.text)
        .withReason(saying.reason())
        .withNote(saying.note())
        .withNewRegarding()
        .withApiVersion(regarding.getApiVersion())
        .withKind(regarding.getKind())
        .withNamespace(regarding.getMetadata().getNamespace())
        .withName(regarding.getMetadata().getName())
        .withUid(regarding.getMetadata().getUid())
        .endRegarding()
        .build();
  }

  private static String start(String name) {
    return name.substring(0, Math.min(name.length(), LONGEST_NAME));
  }

  /// The API server chooses the name, from this beginning.
  private static ObjectKey nameless(Event event) {
    ObjectMeta metadata = event.getMetadata();
    return ObjectKey.of(
        event.getApiVersion(),
        event.getKind(),
        metadata.getNamespace(),
        metadata.getGenerateName());
  }

  private boolean isNew(Saying saying) {
    lock.lock();
    try {
      Instant now = clock.instant();
      @Nullable Instant before = said.remove(saying);
      boolean isNew = before == null || !before.plus(REPEAT_AFTER).isAfter(now);
      said.putLast(saying, isNew ? now : before);
      if (said.size() > REMEMBERED) {
        said.pollFirstEntry();
      }
      return isNew;
    } finally {
      lock.unlock();
    }
  }

  private void forget(Saying saying) {
    lock.lock();
    try {
      said.remove(saying);
    } finally {
      lock.unlock();
    }
  }
}
