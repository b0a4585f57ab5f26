package dev.pitcrew.agent.runtime;

import java.util.List;

/// How the runtime of the node stands.
///
/// @param name such as `containerd`
/// @param version as its program says it; an empty text where it says nothing
/// @param configFile its own file, on the host
/// @param handlers that pods can ask for by a RuntimeClass
/// @param message in plain words, with the remedy where something is wrong
public record RuntimeState(
    Phase phase,
    String name,
    String version,
    String configFile,
    List<String> handlers,
    String message) {
  public RuntimeState {
    handlers = List.copyOf(handlers);
  }

  /// Named as the reasons of a condition.
  public enum Phase {
    /// Pods of the classes run.
    READY("HandlersReady"),
    /// The host is not ours to change.
    LEFT_ALONE("RuntimeLeftAlone"),
    /// The host is not ours to change, and its runtime gives containers no devices by CDI names.
    CDI_DISABLED("CDIDisabled"),
    /// The files, or the runtime, do not take it.
    REFUSED("RuntimeConfigurationRefused"),
    /// A file cannot be read or written.
    NOT_WRITTEN("RuntimeConfigurationNotWritten"),
    /// A restart failed in a way that says nothing of the files; they are as before, and the agent
    /// tries again.
    NOT_BACK("RuntimeRestartFailed"),
    /// The files are right and another program or user has to restart the runtime.
    NOT_RESTARTED("RuntimeNotRestarted"),
    /// Nothing of ours is in the files.
    UNDONE("RuntimeNotOurs");

    private final String text;

    Phase(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}
