package dev.pitcrew.agent.runtime.plan;

/// Why a runtime's configuration is not edited.
///
/// @param file on the host
/// @param key an empty text where the file as a whole is meant
/// @param position `line:column`; an empty text where there is none
/// @param value what is there; an empty text where something is missing
/// @param remedy what is wrong and what to do
public record RuntimeProblem(
    String file, String key, String position, String value, String remedy) {
  static RuntimeProblem ofFile(String file, String remedy) {
    return new RuntimeProblem(file, "", "", "", remedy);
  }

  /// One line for a person.
  public String message() {
    String place = position.isEmpty() ? file : file + ":" + position;
    String what = key.isEmpty() ? "" : ": " + key;
    String said = value.isEmpty() ? "" : " is '%s'".formatted(value);
    return "%s%s%s: %s".formatted(place, what, said, remedy);
  }
}
