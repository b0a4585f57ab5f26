package dev.pitcrew.agent.config;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// One line of the table of flags.
///
/// @param environment the variables that set it, in the order in which they are asked
/// @param defaultText as it would be given; an empty text is empty, or an empty list
/// @param fileKey the path in the configuration file, such as `flags.migStrategy`; an empty text
///   where the file cannot say it
public record Flag(
    String name,
    List<String> aliases,
    List<String> environment,
    String defaultText,
    String fileKey,
    Set<Program> programs,
    String meaning) {

  /// Variables for GPU feature discovery alone; the device plugin may see them in a shared pod.
  private static final String LABELS_ONLY = "GFD_";

  public Flag {
    aliases = List.copyOf(aliases);
    environment = List.copyOf(environment);
    programs = Set.copyOf(programs);
  }

  /// All spellings, without dashes.
  public List<String> spellings() {
    return Stream.concat(Stream.of(name), aliases.stream()).toList();
  }

  /// The variables that `program` reads.
  public List<String> environment(Program program) {
    return switch (program) {
      case LABELS -> environment;
      case PLUGIN ->
          environment.stream().filter(variable -> !variable.startsWith(LABELS_ONLY)).toList();
    };
  }

  /// Whether it may be given without a value.
  public boolean isTruth() {
    return defaultText.equals("true") || defaultText.equals("false");
  }

  public boolean isFor(Program program) {
    return programs.contains(program);
  }
}
