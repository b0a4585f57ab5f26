package dev.pitcrew.operator.render;

/// Input that the schema accepts but that cannot work.
///
/// @param reason CamelCase condition reason
/// @param message names the field, its value and what to do about it
public record Problem(String reason, String message) {

  public static Problem of(String reason, String field, Object value, String remedy) {
    return new Problem(reason, field + " is " + quoted(value) + ": " + remedy);
  }

  private static String quoted(Object value) {
    String text = String.valueOf(value);
    return text.isEmpty() ? "empty" : "\"" + text + "\"";
  }
}
