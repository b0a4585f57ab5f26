package dev.pitcrew.agent.mig.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What the reference's tool did with the same files on the same node, step by step: exit codes,
/// the words on standard output and what the node then exports. Where the reference is wrong the
/// file is named in a test of its own.
class MigFactsTest {
  private static final List<String> STEPS =
      List.of("assert_mode_before", "assert_before", "apply", "assert_after");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bad-grammar",
        "disable",
        "fail-create-gi",
        "fit-1g",
        "fit-balanced",
        "missing-enabled",
        "no-version",
        "overlap",
        "repartition"
      })
  void eachStepEndsAsRecorded(String name) throws IOException {
    JsonNode facts = facts(name);
    SimulatedNode node = node(facts);

    for (String step : STEPS) {
      assertStep(facts, node, step);
    }
    node.simulate("fail", "none", "0", "0");
    assertStep(facts, node, "apply_again");
    assertStep(facts, node, "export");
    assertThat(layout(node)).isEqualTo(recordedLayout(facts));
  }

  /// Better than the reference, which destroys what is there and then fails or even succeeds.
  @ParameterizedTest
  @ValueSource(strings = {"too-many", "unknown-profile"})
  void impossibleLayout_isRefusedBeforeAnyChange(String name) throws IOException {
    JsonNode facts = facts(name);
    SimulatedNode node = node(facts);
    node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
    String before = node.simulate("show") + layout(node);

    assertStep(facts, node, "assert_before");
    CommandRun apply = run(node, "apply");

    assertThat(apply.exitCode()).isEqualTo(1);
    assertThat(apply.errors()).contains("nothing was changed").contains("GPU 0");
    assertStep(facts, node, "assert_after");
    assertThat(node.simulate("show") + layout(node)).isEqualTo(before);
  }

  private void assertStep(JsonNode facts, SimulatedNode node, String step) throws IOException {
    JsonNode recorded = facts.path("steps").path(step);
    CommandRun run = run(node, step);

    assertThat(run.exitCode())
        .as(step + " " + run.errors())
        .isEqualTo(recorded.path("exit").asInt());
    assertThat(run.output().lines())
        .as(step)
        .containsExactlyElementsOf(texts(recorded.path("stdout")));
    String message = message(recorded);
    if (message.startsWith("Error parsing")) {
      assertThat(run.errors())
          .contains(
              message
                  .substring(message.indexOf("JSON: ") + 6)
                  .replaceAll(".*while decoding JSON: ", ""));
    } else if (message.startsWith("Assertion")) {
      assertThat(run.errors()).contains(message);
    }
  }

  private CommandRun run(SimulatedNode node, String step) {
    String file = folder.resolve("config.yaml").toString();
    List<String> words =
        new ArrayList<>(
            switch (step) {
              case "assert_mode_before" -> List.of("assert", "-f", file, "-c", "x", "-m");
              case "assert_before", "assert_after" -> List.of("assert", "-f", file, "-c", "x");
              case "apply", "apply_again" -> List.of("apply", "-f", file, "-c", "x");
              default -> List.of("export");
            });
    words.addFirst("mig");
    return CommandRun.of(node, words.toArray(String[]::new));
  }

  private SimulatedNode node(JsonNode facts) throws IOException {
    Files.writeString(folder.resolve("config.yaml"), facts.path("config").asText());
    SimulatedNode node =
        SimulatedNode.create(
            folder.resolve("node"), SimulatedNodeOptions.of("a100-40g").withGpus(8));
    if (!facts.path("start").isNull()) {
      node.divide(sevenSlicesEach());
    }
    if (facts.path("fault").asText().contains("nvmlDeviceCreateGpuInstance")) {
      node.simulate("fail", "nvmlDeviceCreateGpuInstanceWithPlacement", "999", "1");
    }
    return node;
  }

  /// The only layout with which a recording begins.
  private static String sevenSlicesEach() {
    var lines = new StringBuilder();
    for (int gpu = 0; gpu < 8; gpu++) {
      lines.append("mode %d 1 1\n".formatted(gpu));
      for (int slice = 0; slice < 7; slice++) {
        lines.append("gi %d %d 0 %d 1\n".formatted(gpu, slice + 7, slice));
        lines.append("ci %d %d 0 0 0 1\n".formatted(gpu, slice + 7));
      }
    }
    return lines.toString();
  }

  /// By what a checkpoint shows, in the words of the recording.
  private List<String> layout(SimulatedNode node) throws IOException {
    Path file = folder.resolve("checkpoint");
    assertThat(CommandRun.of(node, "mig", "checkpoint", "-f", file.toString()).exitCode()).isZero();
    var lines = new ArrayList<String>();
    int gpu = 0;
    for (var device : CheckpointText.parse(Files.readString(file)).orElseThrow().devices()) {
      for (var instance : device.instances()) {
        lines.add(
            "%d profile_index %d start %d size %d"
                .formatted(
                    gpu, instance.profile(), instance.place().start(), instance.place().size()));
      }
      gpu++;
    }
    return lines.stream().sorted().toList();
  }

  private static List<String> recordedLayout(JsonNode facts) {
    var lines = new ArrayList<String>();
    facts
        .path("final")
        .properties()
        .forEach(gpu ->
            texts(gpu.getValue().path("gi")).forEach(gi -> lines.add(gpu.getKey() + " " + gi)));
    return lines.stream().sorted().toList();
  }

  private static String message(JsonNode recorded) {
    return texts(recorded.path("stderr")).stream()
        .filter(line -> line.contains("level=fatal"))
        .map(line -> line.substring(line.indexOf('"') + 1, line.lastIndexOf('"')))
        .findFirst()
        .orElse("");
  }

  private static JsonNode facts(String name) {
    try (var file = MigFactsTest.class.getResourceAsStream("/facts/mig/" + name + ".json")) {
      return new ObjectMapper().readTree(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<String> texts(JsonNode array) {
    return Stream.iterate(0, i -> i < array.size(), i -> i + 1)
        .map(i -> array.get(i).asText())
        .toList();
  }
}
