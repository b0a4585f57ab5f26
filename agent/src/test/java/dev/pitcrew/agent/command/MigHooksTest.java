package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Hooks run around a change of a simulated node's GPUs as they do with `nvidia-mig-parted`.
class MigHooksTest {
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        divided: [{devices: [0], mig-enabled: true, mig-devices: {3g.40gb: 2}}]
        other: [{devices: [0], mig-enabled: true, mig-devices: {1g.10gb: 7}}]
        whole: [{devices: all, mig-enabled: false}]
      """;

  @TempDir Path folder;
  private SimulatedNode node;
  private Path layouts;
  private Path said;

  @BeforeEach
  void start() throws IOException {
    node =
        SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("h100").withGpus(1));
    layouts = Files.writeString(folder.resolve("config.yaml"), LAYOUTS);
    said = folder.resolve("said");
  }

  @Test
  void eachRunsAtItsTimeWithNothingButItsOwnEnvironment() throws IOException {
    Path hooks = hooks("true");

    assertThat(apply(hooks, "divided").exitCode()).isZero();
    assertThat(lines())
        .containsExactly(
            "apply-start divided mine -",
            "pre-apply-mode divided mine -",
            "pre-apply-config divided mine -",
            "apply-exit divided mine -");

    assertThat(apply(hooks, "divided").exitCode()).isZero();
    assertThat(lines())
        .as("nothing to do")
        .containsExactly("apply-start divided mine -", "apply-exit divided mine -");

    assertThat(apply(hooks, "other").exitCode()).isZero();
    assertThat(lines())
        .containsExactly(
            "apply-start other mine -", "pre-apply-config other mine -", "apply-exit other mine -");

    assertThat(apply(hooks, "whole").exitCode()).isZero();
    assertThat(lines()).contains("pre-apply-mode whole mine -");
  }

  @Test
  void failingHook_stopsTheChange_andTheEndHookRunsNevertheless() throws IOException {
    CommandRun run = apply(hooks("test $MOMENT != pre-apply-config"), "divided");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors())
        .contains("Error applying MIG configuration: hook pre-apply-config: /bin/sh")
        .contains("nothing was changed");
    assertThat(lines()).endsWith("apply-exit divided mine -");
    assertThat(
            CommandRun.of(node, "mig", "assert", "-f", layouts.toString(), "-c", "whole")
                .exitCode())
        .isZero();
  }

  @Test
  void withoutTheStartNothingRuns() throws IOException {
    CommandRun run = apply(hooks("test $MOMENT != apply-start"), "divided");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).contains("hook apply-start").contains("nothing was changed");
    assertThat(lines()).containsExactly("apply-start divided mine -");
  }

  @Test
  void aFailureOfTheEndCountsWhereAllElseWentWell() throws IOException {
    CommandRun run = apply(hooks("test $MOMENT != apply-exit"), "divided");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors())
        .contains("hook apply-exit")
        .contains("the GPUs are as they are wanted");
  }

  @Test
  void aFileThatCannotBeReadIsNamed() {
    CommandRun run = apply(folder.resolve("none.yaml"), "divided");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).contains("none.yaml:1:1: read error");
  }

  private CommandRun apply(Path hooks, String label) {
    return CommandRun.of(
        node, "mig", "apply", "-f", layouts.toString(), "-c", label, "-k", hooks.toString());
  }

  /// Each hook writes a line, with a variable of its own and one that the tool has, then does this.
  private Path hooks(String then) throws IOException {
    var text = new StringBuilder("version: v1\nhooks:\n");
    for (String moment :
        List.of("apply-start", "pre-apply-mode", "pre-apply-config", "apply-exit")) {
      text.append(
          """
            %1$s:
            - command: /bin/sh
              args: [-c, 'echo "%1$s $MIG_PARTED_SELECTED_CONFIG $OWN ${HOME:--}" >> %2$s; %3$s']
              envs: {OWN: mine, MOMENT: %1$s}
          """
              .formatted(moment, said, then));
    }
    return Files.writeString(folder.resolve("hooks.yaml"), text.toString());
  }

  private List<String> lines() throws IOException {
    List<String> lines = Files.readAllLines(said);
    Files.delete(said);
    return lines;
  }
}
