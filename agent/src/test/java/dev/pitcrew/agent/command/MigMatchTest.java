package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which GPUs of a node a configuration is for, and what becomes of the others.
class MigMatchTest {
  private static final String CONFIG =
      """
      version: v1
      mig-configs:
        other-index:
        - devices: [5]
          mig-enabled: false
        other-board:
        - device-filter: ["0x233010DE"]
          devices: all
          mig-enabled: true
          mig-devices: {1g.10gb: 7}
        first:
        - devices: [0]
          mig-enabled: false
        all-disabled:
        - devices: all
          mig-enabled: false
      """;

  @TempDir Path folder;
  private SimulatedNode node;

  @BeforeEach
  void makeNode() throws IOException {
    node = SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("a100-40g"));
    Files.writeString(folder.resolve("config.yaml"), CONFIG);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "other-index | it is for devices [5]",
        "other-board | it is for device-filter 0x233010DE and devices all"
      })
  void aConfigurationForNoGpuOfTheNodeIsRefused(String label, String reason) {
    for (String command : new String[] {"plan", "apply", "assert"}) {
      CommandRun run = run(command, label);

      assertThat(run.exitCode()).as(command).isEqualTo(1);
      assertThat(run.errors())
          .as(command)
          .contains("the configuration matches no GPU of this node: " + reason)
          .contains("the node has GPU 0 (0x20B010DE), GPU 1 (0x20B010DE)");
      assertThat(run.output()).as(command).doesNotContain("applied");
    }
  }

  @Test
  void aGpuThatNoEntryMatchesIsLeftAloneAndFailsTheAssertion() {
    assertThat(run("apply", "first").exitCode()).isZero();

    CommandRun asserted = run("assert", "first");

    assertThat(asserted.exitCode()).isEqualTo(1);
    assertThat(asserted.errors())
        .contains("no entry of the configuration matches GPU 1 (0x20B010DE)")
        .doesNotContain("GPU 0");
    assertThat(run("assert", "first", "--mode-only").exitCode()).isZero();
  }

  @Test
  void nodeWithoutMig_matchesALayoutWithoutMig() {
    node = SimulatedNode.create(folder.resolve("other"), SimulatedNodeOptions.of("t4"));

    assertThat(run("apply", "all-disabled").exitCode()).isZero();
    assertThat(run("assert", "all-disabled").exitCode()).isZero();
  }

  private CommandRun run(String command, String label, String... more) {
    var words = new ArrayList<>(List.of("mig", command, "-f"));
    words.addAll(List.of(folder.resolve("config.yaml").toString(), "-c", label));
    words.addAll(List.of(more));
    return CommandRun.of(node, words.toArray(String[]::new));
  }
}
