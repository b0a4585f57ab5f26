package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.Flag;
import dev.pitcrew.agent.config.FlagTable;
import dev.pitcrew.agent.config.Program;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The flags of NVIDIA's programs as options of a command, straight from the table of flags.
final class ReferenceFlags {
  private static final Pattern ONE_DASH = Pattern.compile("-(?<name>[a-z][a-z0-9-]+)(=.*)?");

  private ReferenceFlags() {}

  /// Gives a command all flags of a program.
  static void add(CommandSpec command, Program program) {
    add(command, program, flag -> true);
  }

  static void add(CommandSpec command, Program program, Predicate<Flag> wanted) {
    FlagTable.of(program).stream()
        .filter(wanted)
        .forEach(flag -> flag.spellings().forEach(name -> add(command, flag, name, program)));
  }

  private static void add(CommandSpec command, Flag flag, String name, Program program) {
    var option =
        OptionSpec.builder("--" + name)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(flag.isTruth() ? "<true|false>" : "<value>")
            .hidden(!name.equals(flag.name()))
            .description(description(flag, program));
    if (flag.isTruth()) {
      option.arity("0..1").fallbackValue("true");
    } else {
      option.arity("1");
    }
    command.addOption(option.build());
  }

  private static String description(Flag flag, Program program) {
    String variables = String.join(", ", flag.environment(program));
    String otherwise = flag.defaultText().isEmpty() ? "" : "; default: " + flag.defaultText();
    // picocli reads % as a format.
    return "%s (%s%s)".formatted(flag.meaning(), variables, otherwise).replace("%", "%%");
  }

  /// What was given, by spelling without dashes.
  static Map<String, List<String>> given(ParseResult parsed) {
    Set<String> known =
        FlagTable.all().stream()
            .flatMap(flag -> flag.spellings().stream())
            .collect(Collectors.toSet());
    var given = new LinkedHashMap<String, List<String>>();
    for (OptionSpec option : parsed.matchedOptions()) {
      String name = option.longestName().substring(2);
      if (known.contains(name)) {
        given.put(name, values(option));
      }
    }
    return given;
  }

  private static List<String> values(OptionSpec option) {
    return option.getValue() instanceof List<?> values
        ? values.stream().map(String::valueOf).toList()
        : List.of();
  }

  /// Go programs take a long flag with one dash as well.
  static String[] withTwoDashes(String... arguments) {
    return Arrays.stream(arguments).map(ReferenceFlags::withTwoDashes).toArray(String[]::new);
  }

  private static String withTwoDashes(String argument) {
    Matcher flag = ONE_DASH.matcher(argument);
    boolean isKnown =
        flag.matches()
            && FlagTable.all().stream()
                .anyMatch(known -> known.spellings().contains(flag.group("name")));
    return isKnown ? "-" + argument : argument;
  }
}
