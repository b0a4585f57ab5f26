package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.RuntimeCommand.Action;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.process.AgentProcess.Known;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// Which command lines the agent carries out for others: those that only look, and at nothing but
/// the agent's own node.
///
/// @param context of the agent
record AllowedCommands(AgentContext context) {
  private static final String HOST_ROOT = "--host-root";
  private static final String ONCE = "--oneshot";

  /// The heap has room for its nodes many times over; the standard layouts have a sixth of that.
  private static final long LONGEST_FILE = 64 * 1024;

  /// The flags that a command may be given here, beside the host root.
  private static final Map<String, Set<String>> FLAGS =
      Map.ofEntries(
          entry("inventory", "--oneshot -o"),
          entry("labels", "--oneshot -o --mig-strategy --fail-on-init-error"),
          entry("features", "-o"),
          entry(
              "cdi",
              "--oneshot -o --mode --vendor --class --device-name-strategy --device-id",
              "--no-all-device --nvidia-cdi-hook-path --disable-hook --enable-hook",
              "--feature-flag --imex-channel"),
          entry(
              "validate", "-o --component --runtime-class --rdma --use-host-mofed --gds --gdrcopy"),
          entry(
              "metrics",
              "--oneshot --open-metrics --devices --no-hostname --use-old-namespace",
              "--replace-blanks-in-model-name"),
          entry("mig plan", "--config-file --selected-config --mode-only"),
          entry("mig assert", "--config-file --selected-config --mode-only --valid-config"),
          entry("mig export", "-o --config-label"),
          entry("runtime", "--undo --runtime --handler --enable-cdi-in-runtime"));

  /// Run on until they are stopped, but with this flag.
  private static final Set<String> RUN_ON = Set.of("labels", "metrics");

  /// Open NVML themselves.
  private static final Set<String> CALL_NVML =
      Set.of("metrics", "mig plan", "mig assert", "mig export");

  /// A command line with all that the command needs to know of this node.
  record Wanted(List<String> words, boolean callsNvml) {}

  private static Map.Entry<String, Set<String>> entry(String command, String... flags) {
    return Map.entry(command, Set.of(String.join(" ", flags).split(" ")));
  }

  /// Whether there is such a command at all, by the first word.
  static boolean hasOne(String name) {
    return FLAGS.keySet().stream().anyMatch(it -> it.split(" ", 2)[0].equals(name));
  }

  /// Empty where the command is left to a process of its own. One that is spelled wrongly is
  /// explained here.
  Optional<Wanted> wanted(CommandLine line, List<String> words, Known now) {
    String[] given = ReferenceFlags.withTwoDashes(words.toArray(String[]::new));
    var asGiven = new Wanted(Arrays.asList(given), false);
    try {
      ParseResult parsed = line.parseArgs(given);
      while (parsed.hasSubcommand() && !parsed.isUsageHelpRequested()) {
        parsed = parsed.subcommand();
      }
      if (parsed.isUsageHelpRequested()) {
        return Optional.of(asGiven);
      }
      String name = parsed.commandSpec().qualifiedName().replaceFirst("pitcrew ", "");
      return isCarriedOut(name, parsed)
          ? Optional.of(new Wanted(with(defaults(now), given, parsed), CALL_NVML.contains(name)))
          : Optional.empty();
    } catch (ParameterException _) {
      return Optional.of(asGiven);
    }
  }

  private boolean isCarriedOut(String name, ParseResult parsed) {
    Set<String> flags = FLAGS.getOrDefault(name, Set.of());
    return FLAGS.containsKey(name)
        && parsed.matchedOptions().stream().allMatch(it -> isTaken(it, flags))
        && (!RUN_ON.contains(name) || isTrue(parsed))
        && (!parsed.hasMatchedOption("--config-file")
            || isShort(parsed.matchedOptionValue("--config-file", "")))
        && (!name.equals("runtime")
            || parsed.matchedPositionalValue(0, Action.APPLY) == Action.PLAN);
  }

  private boolean isTaken(OptionSpec option, Set<String> flags) {
    List<String> names = Arrays.asList(option.names());
    return names.stream().anyMatch(flags::contains)
        || (names.contains(HOST_ROOT) && context.host().folder().equals(option.getValue()));
  }

  private static boolean isTrue(ParseResult parsed) {
    Object value = parsed.matchedOptionValue(ONCE, "false");
    return value.equals(true) || value.equals(List.of("true"));
  }

  /// A file without a length may never end.
  private static boolean isShort(String file) {
    try {
      Path path = Path.of(file);
      return Files.isRegularFile(path) && Files.size(path) > 0 && Files.size(path) <= LONGEST_FILE;
    } catch (IOException _) {
      return false;
    }
  }

  /// What a command would have to know of the agent's node.
  private Map<String, String> defaults(Known now) {
    var defaults = new LinkedHashMap<String, String>();
    defaults.put(HOST_ROOT, context.host().folder().toString());
    context.nvml().ifPresent(library -> defaults.put("--nvml", library));
    now.driverOnHost().ifPresent(root -> defaults.put("--driver-root", root));
    defaults.put("--driver-install-dir", now.driverFolder());
    defaults.put("--state-dir", context.folders().state().toString());
    return defaults;
  }

  private static List<String> with(
      Map<String, String> defaults, String[] given, ParseResult parsed) {
    var words = new ArrayList<>(Arrays.asList(given));
    defaults.forEach((flag, value) -> {
      OptionSpec option = parsed.commandSpec().findOption(flag);
      if (option != null && !parsed.hasMatchedOption(option)) {
        words.add(flag + "=" + value);
      }
    });
    return words;
  }
}
