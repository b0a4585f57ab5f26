package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.rollout.DriverDigest;
import dev.pitcrew.core.rollout.DriverTag;

/// What a driver pod, or a pod of a template, installs.
///
/// @param digest of all that it is installed by; empty where none is known
public record DriverInstallation(String image, String digest) {

  /// @param pod or template: metadata and spec
  static DriverInstallation of(Json pod) {
    String noted = pod.at("metadata", "annotations", DriverDigest.ANNOTATION).text();
    return new DriverInstallation(
        pod.at("spec", "containers").items().stream()
            .map(it -> it.at("image").text())
            .findFirst()
            .orElse(""),
        noted.isEmpty() ? variable(pod) : noted);
  }

  private static String variable(Json pod) {
    return pod.at("spec", "containers").items().stream()
        .filter(it -> it.at("name").text().equals(DriverDigest.CONTAINER))
        .flatMap(it -> it.at("env").items().stream())
        .filter(it -> it.at("name").text().equals(DriverDigest.VARIABLE))
        .map(it -> it.at("value").text())
        .findFirst()
        .orElse("");
  }

  /// For people, as the tag of the image has it.
  public String version() {
    return DriverTag.version(image);
  }

  /// Whether this is what a template asks for. One without a digest cannot be compared.
  public boolean isAsAskedBy(DriverInstallation template) {
    return template.digest.isEmpty() || template.digest.equals(digest);
  }
}
