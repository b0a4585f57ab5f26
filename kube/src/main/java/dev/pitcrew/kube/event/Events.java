package dev.pitcrew.kube.event;

import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.apply.Verb;
import dev.pitcrew.kube.apply.Writes;
import dev.pitcrew.kube.client.Clients;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Emits Events of `events.k8s.io/v1`. The same text about the same object is sent once in ten
/// minutes, and the rate is limited ([EventFilter]). An Event that the API server does not take is
/// logged and dropped, without a retry.
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

  private static final Logger log = LoggerFactory.getLogger(Events.class);
  private static final String CONTROLLER = "pitcrew";

  /// The API server takes no other number of digits.
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);

  /// A number that is a word of its own: no part of a name or a version.
  private static final Pattern NUMBER = Pattern.compile("(?<= )\\d+(?= )");

  private static final int LONGEST_NAME = 200;
  private static final int CONFLICT = 409;

  private final KubernetesClient client;
  private final Writes writes;
  private final String instance;
  private final InstantSource clock;
  private final EventFilter filter;

  /// Events of this process.
  ///
  /// @param instance distinguishes this process from others of its kind; the pod's name, or empty
  ///   for the host's, as the API server requires one
  public Events(KubernetesClient client, Writes writes, String instance, InstantSource clock) {
    this.client = Clients.withoutRetries(client).adapt(KubernetesClient.class);
    this.writes = writes;
    this.instance = instance.isEmpty() ? hostName() : instance;
    this.clock = clock;
    this.filter = new EventFilter(clock);
  }

  /// Says something about an object. Never throws.
  ///
  /// @param reason CamelCase, at most 128 characters
  /// @param note for people; cut off after 1024 bytes
  public void emit(HasMetadata regarding, Type type, String reason, String note) {
    emit(regarding, new Message(type, reason, note), Note.fitted(note));
  }

  /// Warns of what holds something up. Words that differ in numbers only are the same: the counts
  /// of a disruption budget change with each pod. Never throws.
  ///
  /// @param reason CamelCase, at most 128 characters
  /// @param note for people; cut off after 1024 bytes
  public void emitBlocker(HasMetadata regarding, String reason, String note) {
    emit(regarding, new Message(Type.WARNING, reason, note), NUMBER.matcher(note).replaceAll("#"));
  }

  private void emit(HasMetadata regarding, Message message, String words) {
    var topic = new EventFilter.Topic(ObjectKey.of(regarding), message.reason(), words);
    if (!filter.admits(topic)) {
      return;
    }
    Event event = event(regarding, message);
    try {
      writes.perform(Verb.CREATE, nameless(event), () -> client.resource(event).create());
    } catch (KubeException e) {
      filter.forget(topic);
      log.warn("no event {} about {}: {}", message.reason(), topic.regarding(), e.getMessage());
    }
  }

  /// Sends an Event about an object that is not to be repeated, not even by the next process, for
  /// as long as the API server keeps the Event (an hour by default). Never throws.
  ///
  /// @param topic distinguishes this Event from others about the object; the text may change
  /// @return whether it has been said now or before
  public boolean emitOnce(HasMetadata regarding, Message message, String topic) {
    ObjectMeta metadata = regarding.getMetadata();
    ObjectKey object = ObjectKey.of(regarding);
    if (!filter.hasPlace(object)) {
      return false;
    }
    Event event = event(regarding, message);
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
        filter.giveBack(object);
        return true;
      }
      log.warn("no event {} about {}: {}", message.reason(), object, e.getMessage());
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

  private Event event(HasMetadata regarding, Message message) {
    ObjectKey object = ObjectKey.of(regarding);
    return new EventBuilder()
        .withNewMetadata()
        .withGenerateName(start(object.name()) + "-")
        .withNamespace(object.namespace().isEmpty() ? "default" : object.namespace())
        .endMetadata()
        .withEventTime(new MicroTime(MICRO_TIME.format(clock.instant())))
        .withReportingController(CONTROLLER)
        .withReportingInstance(instance)
        .withAction(message.reason())
        .withType(message.type().text)
        .withReason(message.reason())
        .withNote(Note.fitted(message.note()))
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
}
