package dev.pitcrew.core.requests;

/// What a pod tolerates.
///
/// @param key empty for every taint
/// @param operator `Exists` or `Equal`, empty for the latter
/// @param effect empty for every effect
public record Toleration(String key, String operator, String value, String effect) {
  static final String EXISTS = "Exists";
  static final String EQUAL = "Equal";

  boolean covers(Taint taint) {
    return isAnyOr(effect, taint.effect())
        && isAnyOr(key, taint.key())
        && (EXISTS.equals(operator) || value.equals(taint.value()));
  }

  private static boolean isAnyOr(String wanted, String value) {
    return wanted.isEmpty() || wanted.equals(value);
  }
}
