package dev.pitcrew.agent.settings;

import java.util.Set;

/// Something that was said and is not in force.
///
/// @param field where it was said, such as `ConfigMap gpu-operator/plugin key shared: sharing.mps`
/// @param value what was said; an empty text where something is missing
/// @param remedy what to write instead, or to do
/// @param consequence what the agent does meanwhile
/// @param functions which it concerns; empty if it concerns the whole agent
public record SettingsProblem(
    String field,
    String value,
    String remedy,
    Consequence consequence,
    Set<NodeFunction> functions) {
  public SettingsProblem {
    functions = Set.copyOf(functions);
  }

  /// What becomes of the rest of the configuration.
  public sealed interface Consequence {
    /// Only this value has no effect.
    record NoEffect() implements Consequence {}

    /// The last configuration that was right stays in force.
    ///
    /// @param name of the device plugin configuration; empty where it has none
    record StillUsing(String name) implements Consequence {}

    /// What is in force where nothing is said.
    record UsingDefaults() implements Consequence {}

    /// There is no configuration that the function could run with.
    record NotRunning() implements Consequence {}

    /// As the end of a sentence.
    default String words() {
      return switch (this) {
        case NoEffect() -> "all else is in force";
        case StillUsing(String name) ->
            name.isEmpty()
                ? "still using the previous configuration"
                : "still using the configuration " + name;
        case UsingDefaults() -> "using the defaults";
        case NotRunning() -> "not running without a configuration";
      };
    }
  }

  /// Whether only this value is lost.
  public boolean isHarmless() {
    return consequence instanceof Consequence.NoEffect;
  }

  /// One line for a person.
  public String message() {
    return "%s; %s".formatted(cause(), consequence.words());
  }

  /// What is wrong, without what becomes of it.
  String cause() {
    return value.isEmpty()
        ? "%s: %s".formatted(field, remedy)
        : "%s is '%s': %s".formatted(field, value, remedy);
  }
}
