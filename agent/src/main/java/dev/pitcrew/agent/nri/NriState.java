package dev.pitcrew.agent.nri;

/// How the plugin and the container runtime stand.
///
/// @param message for people, with the remedy where something is wrong
public record NriState(Reason reason, String message) {

  /// Named as the reasons of a condition.
  public enum Reason {
    /// The runtime asks the plugin about each container that it creates.
    SERVED("NriServed"),
    /// The runtime has no socket for plugins.
    NOT_SERVED("NriNotServed"),
    /// It has one and does not let the plugin in.
    REFUSED("NriRefused"),
    /// It took the connection and has not answered.
    SILENT("NriSilent"),
    /// It ended the connection, by its own end as a rule.
    CLOSED("NriClosed");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  private static final String EFFECT =
      "; till then pods of an nvidia RuntimeClass that ask by NVIDIA_VISIBLE_DEVICES start without GPUs, those that ask for resources get theirs";

  public boolean isServed() {
    return reason == Reason.SERVED;
  }

  static NriState served(String runtime) {
    return new NriState(Reason.SERVED, runtime + " asks the agent about each new container");
  }

  static NriState notServed(String socket) {
    return new NriState(
        Reason.NOT_SERVED,
        "the container runtime serves no NRI: there is no socket %s; switch it on (containerd: take io.containerd.nri.v1.nri out of disabled_plugins and set its disable = false; CRI-O: [crio.nri] enable_nri = true) and restart the runtime"
                .formatted(socket)
            + EFFECT);
  }

  static NriState refused(String socket, String why) {
    return new NriState(
        Reason.REFUSED,
        "the container runtime refuses the agent at %s (%s); see that the agent runs as root and that the runtime's log says why"
                .formatted(socket, why)
            + EFFECT);
  }

  static NriState silent(String socket) {
    return new NriState(
        Reason.SILENT,
        "the container runtime took the connection at %s and did not answer; another NRI plugin may keep it busy: see its log"
                .formatted(socket)
            + EFFECT);
  }

  static NriState closed(String why) {
    return new NriState(
        Reason.CLOSED,
        "the connection to the container runtime ended (%s); the agent connects again as soon as it is back"
                .formatted(why)
            + EFFECT);
  }
}
