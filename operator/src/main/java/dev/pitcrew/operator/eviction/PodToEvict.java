package dev.pitcrew.operator.eviction;

/// A pod that is to go from a node, and no later one of its name.
public record PodToEvict(String namespace, String name, String uid, String node) {

  /// For people, such as `pod team-a/trainer`.
  public String text() {
    return "pod %s/%s".formatted(namespace, name);
  }
}
