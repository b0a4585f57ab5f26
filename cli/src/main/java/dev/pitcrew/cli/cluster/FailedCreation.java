package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;

/// A controller could not make a pod, by its Event.
///
/// @param owner the controller's kind and name, such as `ReplicaSet/train-7d9`
public record FailedCreation(String owner, String message) {
  static FailedCreation of(Json event) {
    return new FailedCreation(
        event.at("involvedObject", "kind").text() + "/" + event.at("involvedObject", "name").text(),
        event.at("message").text());
  }

  /// Whether a pod of that name would be one of the controller's.
  public boolean isAbout(String pod) {
    String name = owner.substring(owner.indexOf('/') + 1);
    return !name.isEmpty()
        && (pod.equals(name) || pod.startsWith(name + "-") || name.startsWith(pod + "-"));
  }
}
