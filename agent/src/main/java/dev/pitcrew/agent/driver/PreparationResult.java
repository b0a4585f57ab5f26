package dev.pitcrew.agent.driver;

/// The result of [DriverPreparation].
public sealed interface PreparationResult {
  /// For people, and for the pod's status.
  String words();

  /// The driver container may start.
  record MayStart(String words) implements PreparationResult {}

  /// This pod is removed automatically.
  record LeftToHost(String words) implements PreparationResult {}

  /// It may not start now; the kubelet tries again.
  record Refused(String words) implements PreparationResult {}

  /// It may not start before the node was rebooted.
  ///
  /// @param node the name of the Node
  record NeedsReboot(String node, String cause) implements PreparationResult {
    @Override
    public String words() {
      return "%s on %s: reboot the node".formatted(cause, node);
    }
  }
}
