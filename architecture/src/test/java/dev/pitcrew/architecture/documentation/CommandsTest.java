package dev.pitcrew.architecture.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.command.NodeReader;
import dev.pitcrew.agent.command.StopSignal;
import dev.pitcrew.agent.command.Surroundings;
import dev.pitcrew.operator.command.CleanupOptions;
import dev.pitcrew.operator.command.CleanupProgram;
import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.operator.command.CrdProgram;
import dev.pitcrew.operator.command.OperatorOptions;
import dev.pitcrew.operator.command.OperatorProgram;
import dev.pitcrew.operator.command.Programs;
import dev.pitcrew.operator.command.RolloutOptions;
import dev.pitcrew.operator.command.RolloutProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/// Commands that pages show are commands of our programs, with flags that these have. They are
/// read, not run.
class CommandsTest {
  /// Pages that say what to type today; others report or decide.
  private static final Pattern PAGES =
      Pattern.compile("docs/.*|(README|CONTRIBUTING|AGENTS|charts/pitcrew/README)\\.md");

  /// Parts of a page that stand for any text.
  private static final Pattern OPEN = Pattern.compile("…|\\.\\.\\.|[A-Z][A-Z_-]+");

  /// What the first process of a container does itself.
  private static final Set<String> OF_GATE = Set.of("in-root", "detect-gpu");

  private static final Pattern TARGET = Pattern.compile("^([a-z-]+):", Pattern.MULTILINE);
  private static final Pattern SET = Pattern.compile("--set(?:-string|-json|-file)?");
  private static final Pattern CHART = Pattern.compile("(.*/)?(charts|pitcrew)/pitcrew");

  private static final CommandLine AGENT =
      dev.pitcrew.agent.command.PitcrewCommand.create(
          new Surroundings(
              _ -> new NodeReader.Reading.NoDriver("not asked"),
              Map.of(),
              InstantSource.system(),
              new StopSignal()));

  /// What a command line that is only read starts.
  private static final class NotRun
      implements OperatorProgram, CrdProgram, CleanupProgram, RolloutProgram {
    @Override
    public int run(OperatorOptions options) {
      throw new AssertionError(options);
    }

    @Override
    public int apply(CrdOptions options) {
      throw new AssertionError(options);
    }

    @Override
    public int delete(CrdOptions options) {
      throw new AssertionError(options);
    }

    @Override
    public int run(CleanupOptions options) {
      throw new AssertionError(options);
    }

    @Override
    public int plan(RolloutOptions options) {
      throw new AssertionError(options);
    }

    @Override
    public int status(RolloutOptions options) {
      throw new AssertionError(options);
    }
  }

  /// A command on a page.
  private record Shown(String where, String command, List<String> words) {
    Stream<List<String>> after(String... first) {
      int size = first.length;
      return Stream.iterate(0, i -> i + size <= words.size(), i -> i + 1)
          .filter(i -> words.subList(i, i + size).equals(List.of(first)))
          .limit(1)
          .map(i -> words.subList(i + size, words.size()));
    }

    String problem(String text) {
      return "%s: %s: %s".formatted(where, command, text);
    }
  }

  private final List<Shown> shown =
      MarkdownPage.all().stream()
          .filter(page -> PAGES.matcher(page.name()).matches())
          .flatMap(CommandsTest::commands)
          .toList();

  @Test
  void kubectlGpu() {
    assertThat(problems(it -> it.after("kubectl", "gpu"), words -> refusal(gpu(), words)))
        .isEmpty();
    assertThat(shown.stream().flatMap(it -> it.after("kubectl", "gpu"))).hasSizeGreaterThan(20);
  }

  @Test
  void pitcrew() {
    assertThat(problems(CommandsTest::ofPitcrew, words -> refusal(program(words), words)))
        .isEmpty();
    assertThat(shown.stream().flatMap(CommandsTest::ofPitcrew)).hasSizeGreaterThan(20);
  }

  @Test
  void targetsOfMake() throws IOException {
    String makefile = Files.readString(MarkdownPage.REPOSITORY.resolve("Makefile"));
    Set<String> targets =
        TARGET.matcher(makefile).results().map(it -> it.group(1)).collect(Collectors.toSet());

    assertThat(
            problems(
                it -> it.words().getFirst().equals("make") ? it.after("make") : Stream.empty(),
                words ->
                    words.stream()
                        .filter(word -> word.matches("[a-z-]+") && !word.startsWith("-"))
                        .filter(word -> !targets.contains(word))
                        .map(word -> "no target " + word)
                        .findFirst()))
        .isEmpty();
  }

  @Test
  void valuesOfTheChart() throws IOException {
    JsonNode known =
        new YAMLMapper()
            .readTree(
                MarkdownPage.REPOSITORY.resolve("charts/pitcrew/files/known-values.yaml").toFile());

    assertThat(problems(CommandsTest::ofOurChart, words -> unknownValue(words, known))).isEmpty();
    assertThat(shown.stream().flatMap(CommandsTest::ofOurChart)).hasSizeGreaterThan(8);
  }

  private List<String> problems(
      Function<Shown, Stream<List<String>>> part,
      Function<List<String>, Optional<String>> problem) {
    return shown.stream()
        .flatMap(
            it -> part.apply(it).flatMap(words -> problem.apply(words).stream()).map(it::problem))
        .toList();
  }

  private static Stream<Shown> commands(MarkdownPage page) {
    Stream<Shown> inBlocks =
        page.blocks().stream()
            .filter(block -> block.language().isEmpty() || block.language().equals("sh"))
            .flatMap(block ->
                ShellLine.commands(block.lines()).stream()
                    .map(command -> shown(page.name() + ":" + block.line(), command)));
    Stream<Shown> inText =
        page.inlineCode().stream().map(code -> shown(page.name() + ":" + code.line(), code.text()));
    return Stream.concat(inBlocks, inText).filter(it -> !it.words().isEmpty());
  }

  private static Shown shown(String where, String command) {
    return new Shown(where, command, ShellLine.words(command));
  }

  /// In the text, `pitcrew` alone is also the name of other things.
  private static Stream<List<String>> ofPitcrew(Shown shown) {
    String first = shown.words().getFirst();
    boolean isProgram = Set.of("pitcrew", "./pitcrew", "agent/pitcrew").contains(first);
    Stream<List<String>> arguments =
        isProgram
            ? Stream.of(shown.words().subList(1, shown.words().size()))
            : shown.after("--", "pitcrew");
    return arguments.filter(words -> !words.isEmpty() && !OF_GATE.contains(words.getFirst()));
  }

  private static Stream<List<String>> ofOurChart(Shown shown) {
    List<String> words = shown.words();
    return SET.matcher(words.getFirst()).matches()
            || (words.getFirst().equals("helm")
                && words.stream().anyMatch(word -> CHART.matcher(word).matches()))
        ? Stream.of(words)
        : Stream.empty();
  }

  private static Optional<String> unknownValue(List<String> words, JsonNode known) {
    return Stream.iterate(0, i -> i + 1 < words.size(), i -> i + 1)
        .filter(i -> SET.matcher(words.get(i)).matches())
        .flatMap(i -> Arrays.stream(words.get(i + 1).split(",(?=[a-zA-Z.\\[\\]0-9-]+=)")))
        .map(setting -> setting.split("=", 2)[0].replaceAll("\\[\\d+\\]", ""))
        .filter(key -> !isKnown(key, known))
        .map(key -> "no value " + key)
        .findFirst();
  }

  private static boolean isKnown(String key, JsonNode known) {
    JsonNode node = known;
    for (String part : key.split("\\.", -1)) {
      if (node.isNull() || node.isEmpty()) {
        return true; // anything
      }
      if (!node.has(part)) {
        return false;
      }
      node = node.get(part);
    }
    return true;
  }

  private static CommandLine gpu() {
    return dev.pitcrew.cli.command.Main.commandLine();
  }

  private static CommandLine program(List<String> words) {
    CommandLine operator =
        dev.pitcrew.operator.command.PitcrewCommand.create(
            new Programs(new NotRun(), new NotRun(), new NotRun(), new NotRun()), Map.of());
    return operator.getSubcommands().containsKey(words.getFirst()) ? operator : AGENT;
  }

  /// What the program says to these words; those that a page leaves open are not looked at.
  private static Optional<String> refusal(CommandLine program, List<String> words) {
    String[] arguments =
        words.stream().filter(word -> !OPEN.matcher(word).matches()).toArray(String[]::new);
    try {
      program.parseArgs(arguments);
      return Optional.empty();
    } catch (MissingParameterException _) {
      return Optional.empty(); // left open, or the text names the command alone
    } catch (ParameterException wrong) {
      return Optional.of(String.valueOf(wrong.getMessage()));
    }
  }
}
