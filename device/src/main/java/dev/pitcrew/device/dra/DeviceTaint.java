package dev.pitcrew.device.dra;

/// What keeps claims from a device (DeviceTaint of resource.k8s.io/v1).
///
/// @param key a qualified name, such as `gpu.nvidia.com/xid`
/// @param value a label value; may be empty
public record DeviceTaint(String key, String value, Effect effect) {
  public enum Effect {
    /// Informs only. API servers before 1.35 refuse it.
    NONE("None"),
    NO_SCHEDULE("NoSchedule"),
    NO_EXECUTE("NoExecute");

    private final String text;

    Effect(String text) {
      this.text = text;
    }

    /// As the API writes it.
    public String text() {
      return text;
    }
  }
}
