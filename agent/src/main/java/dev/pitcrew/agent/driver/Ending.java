package dev.pitcrew.agent.driver;

/// How it ended.
public sealed interface Ending {
  /// For people, and for the pod's status.
  String words();

  /// The driver container may start.
  record MayStart(String words) implements Ending {}

  /// This pod is removed automatically.
  record LeftToHost(String words) implements Ending {}

  /// It may not start now; the kubelet tries again.
  record Refused(String words) implements Ending {}

  /// It may not start before the node was rebooted.
  ///
  /// @param node the name of the Node
  record NeedsReboot(String node, String cause) implements Ending {
    @Override
    public String words() {
      return "%s on %s: reboot the node".formatted(cause, node);
    }
  }
}
