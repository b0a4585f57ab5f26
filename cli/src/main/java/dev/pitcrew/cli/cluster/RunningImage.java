package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.stream.Stream;

/// What a node has pulled for a container.
///
/// @param image as the pod has it
/// @param digest such as `sha256:…`; empty while it is not pulled
/// @param node on which the pod is
public record RunningImage(String image, String digest, String node) {
  private static final String SHA256 = "sha256:";

  static List<RunningImage> of(Json pod) {
    String node = pod.at("spec", "nodeName").text();
    return Stream.of("initContainer", "container")
        .flatMap(kind -> {
          List<Json> states = pod.at("status", kind + "Statuses").items();
          return pod.at("spec", kind + "s").items().stream()
              .map(it ->
                  new RunningImage(
                      it.at("image").text(), digest(states, it.at("name").text()), node));
        })
        .toList();
  }

  /// Of an image that was loaded on the node and never pulled, the runtime knows an id without a
  /// repository, which is no digest of a registry.
  private static String digest(List<Json> states, String container) {
    return states.stream()
        .filter(it -> it.at("name").text().equals(container))
        .map(it -> it.at("imageID").text())
        .filter(it -> it.contains("@" + SHA256))
        .map(it -> it.substring(it.lastIndexOf('@') + 1))
        .findFirst()
        .orElse("");
  }
}
