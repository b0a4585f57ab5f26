package dev.pitcrew.agent.mig.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.command.CommandRun;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A driver of R535 or older lists no MIG profile while MIG mode is off.
class HiddenProfilesTest {
  private static final String CONFIG =
      """
      version: v1
      mig-configs:
        typo:
        - devices: all
          mig-enabled: true
          mig-devices: {1g.11gb: 1}
        other-board:
        - devices: all
          mig-enabled: true
          mig-devices: {3g.40gb: 1}
        parts:
        - devices: all
          mig-enabled: true
          mig-devices: {1c.3g.20gb: 2}
        too-many:
        - devices: [0]
          mig-enabled: false
        - devices: [1]
          mig-enabled: true
          mig-devices: {3g.20gb: 3}
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "a30, 470.256.02",
    "a100-40g, 470.256.02",
    "a30, 535.183.06",
    "a100-40g, 535.183.06",
    "h100, 535.183.06",
    "h200, 535.183.06"
  })
  void aLayoutIsPlannedAppliedAndAsserted(String board, String driver) throws IOException {
    SimulatedNode node = node(board, driver);
    Path file = folder.resolve("generated.yaml");

    CommandRun generated = CommandRun.of(node, "mig", "generate-config", "-f", file.toString());

    assertThat(generated.exitCode()).as(generated.errors()).isZero();
    assertThat(generated.errors()).contains("these are the standard layouts");
    CommandRun planned = run(node, "plan", file, "all-balanced");
    assertThat(planned.exitCode()).as(planned.errors()).isZero();
    assertThat(planned.output())
        .contains("MIG off")
        .contains("set MIG mode on")
        .contains(
            "plan and create the instances, whose profiles the driver lists in MIG mode only");
    CommandRun applied = run(node, "apply", file, "all-balanced");
    assertThat(applied.exitCode()).as(applied.errors()).isZero();
    assertThat(run(node, "assert", file, "all-balanced").exitCode()).isZero();
    assertThat(run(node, "plan", file, "all-balanced").output()).contains("Nothing is to be done");
    assertThat(run(node, "apply", file, "all-disabled").exitCode()).isZero();
    assertThat(run(node, "assert", file, "all-disabled").exitCode()).isZero();
  }

  /// As the reference's `generate-config`, whose files have a list also for a single board.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          yaml | - device-filter: ["0x20B710DE"] | device-filter: "
          json | "device-filter": ["0x20B710DE"] | "device-filter": "
          """)
  void theFilterOfOneBoardIsAList(String format, String list, String text) {
    CommandRun generated =
        CommandRun.of(node("a30"), "mig", "generate-config", "--output-format=" + format);

    assertThat(generated.exitCode()).as(generated.errors()).isZero();
    assertThat(generated.output()).contains(list).doesNotContain(text);
  }

  @Test
  void partsOfAnInstanceAreCreated() throws IOException {
    SimulatedNode node = node("a100-40g");

    CommandRun applied = run(node, "apply", config(), "parts");

    assertThat(applied.exitCode()).as(applied.errors()).isZero();
    assertThat(run(node, "assert", config(), "parts").exitCode()).isZero();
  }

  @Test
  void aProfileThatNoStandardLayoutHasIsRefusedBeforeTheModeIsSet() throws IOException {
    SimulatedNode node = node("a100-40g");
    String before = layout(node);

    CommandRun refused = run(node, "apply", config(), "typo");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.errors())
        .contains("GPU 0 (0x20B010DE) has no MIG profile 1g.11gb, by the standard layouts")
        .contains("nothing was changed")
        .doesNotContain("set MIG mode");
    assertThat(layout(node)).isEqualTo(before);
  }

  @Test
  void aProfileOfAnotherBoardIsRefusedBeforeAnythingIsCreated() throws IOException {
    SimulatedNode node = node("a100-40g");
    String before = layout(node);

    CommandRun refused = run(node, "apply", config(), "other-board");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.errors())
        .contains(
            "GPU 0 (0x20B010DE) has no MIG profile 3g.40gb; it has 1g.5gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb, 1g.5gb+me, 1g.10gb")
        .contains("the GPUs are again divided as before")
        .doesNotContain("create ");
    assertThat(layout(node)).isEqualTo(before);
  }

  @Test
  void instancesOfAGpuWhoseModeWasSwitchedOffComeBackWhereTheChangeFails() throws IOException {
    SimulatedNode node = node("a100-40g");
    node.divide(
        """
        mode 0 1 1
        gi 0 7 0 0 1
        ci 0 7 0 0 0 1
        gi 0 2 2 4 4
        ci 0 2 0 2 0 3
        mode 1 0 0
        """);
    String before = layout(node);

    CommandRun failed = run(node, "apply", config(), "too-many");

    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.errors())
        .contains("GPU 0: set MIG mode off")
        .contains("GPU 1 (0x20B010DE) has no room for 3g.20gb x 3")
        .contains("the GPUs are again divided as before");
    assertThat(layout(node)).isEqualTo(before);
  }

  private SimulatedNode node(String board) {
    return node(board, "535.183.06");
  }

  private SimulatedNode node(String board, String driver) {
    return SimulatedNode.create(
        folder.resolve("node"), SimulatedNodeOptions.of(board).withDriver(driver, "12.2"));
  }

  private Path config() throws IOException {
    return Files.writeString(folder.resolve("config.yaml"), CONFIG);
  }

  private static CommandRun run(SimulatedNode node, String command, Path file, String label) {
    var words = new ArrayList<>(List.of("mig", command, "-f", file.toString(), "-c", label));
    return CommandRun.of(node, words.toArray(String[]::new));
  }

  private String layout(SimulatedNode node) throws IOException {
    Path file = folder.resolve("checkpoint.json");
    CommandRun run = CommandRun.of(node, "mig", "checkpoint", "-f", file.toString());
    assertThat(run.exitCode()).as(run.errors()).isZero();
    return Files.readString(file);
  }
}
