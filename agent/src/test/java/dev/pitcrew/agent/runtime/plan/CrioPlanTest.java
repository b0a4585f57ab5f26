package dev.pitcrew.agent.runtime.plan;

import static dev.pitcrew.agent.runtime.plan.Configs.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What is written for CRI-O.
class CrioPlanTest {
  static final ConfigFile DISTRIBUTION =
      new ConfigFile(
          "/etc/crio/crio.conf.d/10-crio.conf",
          """
          [crio.image]
          signature_policy = "/etc/crio/policy.json"

          [crio.runtime]
          default_runtime = "crun"

          [crio.runtime.runtimes.crun]
          runtime_path = "/usr/libexec/crio/crun"
          runtime_root = "/run/crun"
          monitor_path = "/usr/libexec/crio/conmon"
          """);
  private static final String OURS = "/etc/crio/crio.conf.d/99-pitcrew.conf";

  @Test
  void aHandlerIsWhatTheDefaultRuntimeIs() {
    assertThat(Configs.crio(DISTRIBUTION).after(ONE, OURS))
        .isEqualTo(
            ContainerdPlan.HEAD
                + """
                [crio.runtime.runtimes.nvidia]
                runtime_type = "oci"
                runtime_path = "/usr/libexec/crio/crun"
                runtime_root = "/run/crun"
                monitor_path = "/usr/libexec/crio/conmon"

                [crio.nri]
                enable_nri = true
                """);
  }

  @Test
  void aProgramIsNeededAndLookedForOnTheHost() {
    Configs empty = Configs.crio();
    assertThat(empty.problem(ONE).message()).contains("set runtime_path");
    var programs = new RuntimeInput.HostPrograms(Optional.of("/usr/bin/crun"), Set.of());
    var plan = (RuntimePlan.Edits) RuntimePlan.of(RuntimeKind.CRIO, empty.input(programs), ONE);
    assertThat(plan.edits().getFirst().after().orElseThrow())
        .contains("runtime_path = \"/usr/bin/crun\"");
  }

  @Test
  void foldersThatAUserChose_getTheFolderForGpus() {
    var file =
        new ConfigFile(
            "/etc/crio/crio.conf.d/20.conf",
            "[crio.runtime]\ncdi_spec_dirs = [\"/opt/cdi\"]\n[crio.nri]\nenable_nri = true\n");
    assertThat(Configs.crio(DISTRIBUTION, file).after(ONE, OURS))
        .contains("[crio.runtime]\ncdi_spec_dirs = [\"/opt/cdi\", \"/var/run/cdi\"]\n")
        .doesNotContain("nri");
  }

  /// The reference leaves its handlers behind when it is removed.
  @Test
  void configurationLeftByTheToolkit_isReplaced() {
    String gone = "/usr/local/nvidia/toolkit/nvidia-container-runtime";
    Configs left =
        Configs.crio(
            DISTRIBUTION,
            new ConfigFile(
                "/etc/crio/crio.conf.d/99-nvidia.conf",
                "[crio.runtime.runtimes.nvidia]\nruntime_path = \"%s\"\n".formatted(gone)));
    assertThat(left.plan(ONE).remarks()).anyMatch(line -> line.contains("stays as it is"));
    var programs = new RuntimeInput.HostPrograms(Optional.empty(), Set.of(gone));
    var plan = (RuntimePlan.Edits) RuntimePlan.of(RuntimeKind.CRIO, left.input(programs), ONE);
    assertThat(plan.edits().getFirst().after().orElseThrow())
        .contains("[crio.runtime.runtimes.nvidia]", "/usr/libexec/crio/crun")
        .doesNotContain("toolkit");
  }

  @Test
  void aFileThatIsNoTomlIsRefusedWithItsPlace() {
    var broken = new ConfigFile("/etc/crio/crio.conf.d/20.conf", "[crio.runtime\n");
    assertThat(Configs.crio(broken).problem(ONE).message())
        .startsWith("/etc/crio/crio.conf.d/20.conf:1:");
  }
}
