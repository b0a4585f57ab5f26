package dev.pitcrew.agent.nri;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How the plugin and the container runtime stand.
///
/// @param message for people, with the remedy where something is wrong
public record NriState(Reason reason, String message) {

  /// Named as the reasons of a condition.
  public enum Reason {
    /// The runtime asks the plugin about each container that it creates.
    SERVED("NriServed"),
    /// It asks, and drops the CDI devices that the plugin answers with.
    WITHOUT_CDI("NriWithoutCdi"),
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

  private static final Pattern VERSION =
      Pattern.compile("v?(?<major>\\d{1,4})\\.(?<minor>\\d{1,4})\\.(?<patch>\\d{1,4})");
  private static final int LAST_MINOR_OF_1 = 7;
  private static final int FIRST_PATCH_WITH_CDI = 30;

  private static final String EFFECT =
      "; till then pods of an nvidia RuntimeClass that ask by NVIDIA_VISIBLE_DEVICES start without GPUs, those that ask for resources get theirs";

  public boolean isServed() {
    return reason == Reason.SERVED;
  }

  /// Of a runtime that has let the plugin in.
  ///
  /// @param version as the runtime names its own
  static NriState asking(String runtime, String version) {
    String words = "%s %s asks the agent about each new container".formatted(runtime, version);
    return runtime.equals("containerd") && dropsCdi(version)
        ? new NriState(
            Reason.WITHOUT_CDI,
            words
                + " and drops the CDI devices that the agent answers with; update containerd to 1.7.30 or later, or to 2.1 or later"
                + EFFECT)
        : new NriState(Reason.SERVED, words);
  }

  /// containerd says nothing where it drops them. 1.7 takes them since 1.7.30 (containerd pull
  /// request 12650), 2.0 in no release up to 2.0.14 (12651), later ones do (`nri_api_linux.go` of
  /// 2.1.3 has a `WithCDIDeviceInjector`).
  private static boolean dropsCdi(String version) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.lookingAt()) {
      return false;
    }
    int major = Integer.parseInt(numbers.group("major"));
    int minor = Integer.parseInt(numbers.group("minor"));
    int patch = Integer.parseInt(numbers.group("patch"));
    return major == 1
        ? minor < LAST_MINOR_OF_1 || patch < FIRST_PATCH_WITH_CDI
        : major == 2 && minor == 0;
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
