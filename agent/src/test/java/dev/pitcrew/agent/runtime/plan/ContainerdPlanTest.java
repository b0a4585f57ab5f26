package dev.pitcrew.agent.runtime.plan;

import static dev.pitcrew.agent.runtime.plan.Configs.ALL;
import static dev.pitcrew.agent.runtime.plan.Configs.CONTAINERD_MAIN;
import static dev.pitcrew.agent.runtime.plan.Configs.CONTAINERD_OURS;
import static dev.pitcrew.agent.runtime.plan.Configs.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What is written for containerd, by its version and what its files say.
class ContainerdPlanTest {
  private static final String TWO_ONE =
      """
      # by the image build
      version = 3
      root = '/data/containerd' # a disk of its own

      [plugins.'io.containerd.cri.v1.runtime'.containerd]
        default_runtime_name = 'runc'
        [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
          runtime_type = 'io.containerd.runc.v2'
          [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
            SystemdCgroup = true
      """;
  private static final String ONE_SEVEN =
      """
      version = 2
      [plugins."io.containerd.grpc.v1.cri"]
        sandbox_image = "registry.example/pause:3.10" # mirrored
        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
          runtime_type = "io.containerd.runc.v2"
          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
            SystemdCgroup = true
        [plugins."io.containerd.grpc.v1.cri".registry]
          config_path = "/etc/containerd/certs.d"
      """;

  @Test
  void whereTablesAreMergedOnlyOursIsWritten() {
    assertThat(Configs.containerd("2.1.4", TWO_ONE).after(ONE, CONTAINERD_OURS))
        .isEqualTo(
            ContainerdPlan.HEAD
                + """
                version = 3

                [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]
                runtime_type = "io.containerd.runc.v2"

                [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
                SystemdCgroup = true
                BinaryName = ""
                """);
  }

  @Test
  void theMainFileGetsOneLineAndKeepsEveryOtherByte() {
    assertThat(Configs.containerd("2.1.4", TWO_ONE).after(ONE, CONTAINERD_MAIN))
        .isEqualTo(
            TWO_ONE.replace(
                "version = 3\n",
                "version = 3\nimports = [\"/etc/containerd/conf.d/99-pitcrew*.toml\"]\n"));
  }

  @Test
  void dropIn_isWrittenBeforeItsImport() {
    assertThat(Configs.containerd("2.1.4", TWO_ONE).edits(ONE))
        .extracting(Edit::path)
        .containsExactly(CONTAINERD_OURS, CONTAINERD_MAIN);
  }

  /// Containerd before 2.1 takes the table of the last file whole.
  @Test
  void whereTablesReplaceEachOtherTheDropInSaysAllOfThem() {
    String ours = Configs.containerd("1.7.28", ONE_SEVEN).after(ONE, CONTAINERD_OURS);
    assertThat(ours)
        .isEqualTo(
            ContainerdPlan.HEAD
                + """
                version = 2

                [plugins."io.containerd.grpc.v1.cri"]
                sandbox_image = "registry.example/pause:3.10"
                enable_cdi = true

                [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
                runtime_type = "io.containerd.runc.v2"

                [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
                SystemdCgroup = true

                [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
                runtime_type = "io.containerd.runc.v2"

                [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]
                SystemdCgroup = true

                [plugins."io.containerd.grpc.v1.cri".registry]
                config_path = "/etc/containerd/certs.d"

                [plugins."io.containerd.nri.v1.nri"]
                disable = false
                """);
  }

  @Test
  void theReplacedTableIsThatOfTheLastFileBeforeOurs() {
    String other =
        """
        version = 2
        [plugins."io.containerd.grpc.v1.cri"]
          sandbox_image = "other/pause:1"
        """;
    String main =
        ONE_SEVEN.replace(
            "version = 2", "version = 2\nimports = [\"/etc/containerd/conf.d/*.toml\"]");
    assertThat(
            Configs.containerd("1.7.28", main)
                .with("/etc/containerd/conf.d/10-cloud.toml", other)
                .after(ONE, CONTAINERD_OURS))
        .contains("other/pause:1")
        .doesNotContain("certs.d");
  }

  @Test
  void aFileOfVersionTwoOnContainerdTwoGetsADropInOfVersionTwo() {
    assertThat(Configs.containerd("2.0.7", ONE_SEVEN).after(ONE, CONTAINERD_OURS))
        .contains("version = 2\n", "sandbox_image", "grpc.v1.cri\".containerd.runtimes.nvidia]")
        .doesNotContain("enable_cdi", "nri.v1");
    assertThat(Configs.containerd("2.4.1", ONE_SEVEN).after(ONE, CONTAINERD_OURS))
        .contains("version = 2\n")
        .doesNotContain("sandbox_image");
  }

  @Test
  void aNewerFormatIsTakenOver() {
    assertThat(
            Configs.containerd("2.4.1", TWO_ONE.replace("version = 3", "version = 4"))
                .after(ONE, CONTAINERD_OURS))
        .contains("version = 4\n", "cri.v1.runtime");
  }

  @Test
  void aMainFileThatImportsTheFolderStaysAsItIs() {
    for (String imports :
        List.of("/etc/containerd/conf.d/*.toml", "conf.d/*.toml", CONTAINERD_OURS)) {
      String main = TWO_ONE.replace("version = 3", "version = 3\nimports = ['" + imports + "']");
      assertThat(Configs.containerd("2.1.4", main).edits(ONE))
          .as(imports)
          .extracting(Edit::path)
          .containsExactly(CONTAINERD_OURS);
    }
  }

  @Test
  void oursJoinsOtherImports() {
    String before =
        """
        version = 3
        imports = [
          "/etc/other/*.toml", # mirrors ]
          '/etc/more.toml',
        ]
        """;
    assertThat(Configs.containerd("2.1.4", before).after(ONE, CONTAINERD_MAIN))
        .isEqualTo(
            before.replace(
                "'/etc/more.toml',",
                "'/etc/more.toml', \"/etc/containerd/conf.d/99-pitcrew*.toml\","));
    String none = "version = 3\nimports = []\n";
    assertThat(Configs.containerd("2.1.4", none).after(ONE, CONTAINERD_MAIN))
        .isEqualTo("version = 3\nimports = [\"/etc/containerd/conf.d/99-pitcrew*.toml\"]\n");
  }

  @Test
  void aNodeWithoutAFileGetsOne() {
    Configs none = Configs.containerd("1.7.28", "").withoutMain();
    assertThat(none.after(ONE, CONTAINERD_MAIN))
        .isEqualTo("version = 2\nimports = [\"/etc/containerd/conf.d/99-pitcrew*.toml\"]\n");
    assertThat(none.after(ONE, CONTAINERD_OURS)).contains("runtimes.nvidia", "enable_cdi = true");
    assertThat(Configs.containerd("2.1.0", "# nothing yet\n").after(ONE, CONTAINERD_MAIN))
        .isEqualTo(
            "version = 3\nimports = [\"/etc/containerd/conf.d/99-pitcrew*.toml\"]\n# nothing yet\n");
  }

  @Test
  void allThreeHandlersOfTheReferenceAreThereAndNoneIsTheDefault() {
    assertThat(Configs.containerd("2.1.4", TWO_ONE).after(ALL, CONTAINERD_OURS))
        .contains("runtimes.nvidia]", "runtimes.nvidia-cdi]", "runtimes.nvidia-legacy]")
        .doesNotContain("default_runtime_name");
  }

  @Test
  void handlerOfAnotherOwner_stays() {
    String main =
        TWO_ONE
            + """
            [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia]
              runtime_type = 'io.containerd.runc.v2'
              [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia.options]
                BinaryName = '/usr/bin/nvidia-container-runtime'
            """;
    Configs configs = Configs.containerd("2.1.4", main);
    RuntimePlan plan = configs.plan(ONE);
    assertThat(plan).isInstanceOf(RuntimePlan.Nothing.class);
    assertThat(plan.remarks())
        .containsExactly(
            "handler nvidia is that of /etc/containerd/config.toml and stays as it is");

    var gone =
        new RuntimeInput.HostPrograms(
            Optional.empty(), Set.of("/usr/bin/nvidia-container-runtime"));
    RuntimePlan replaced = RuntimePlan.of(RuntimeKind.CONTAINERD, configs.input(gone), ONE);
    assertThat(replaced.remarks()).anyMatch(line -> line.contains("which is not there"));
    assertThat(((RuntimePlan.Edits) replaced).edits().getFirst().after().orElseThrow())
        .contains("runtimes.nvidia.options]", "BinaryName = \"\"");
  }

  @Test
  void theToolkitsOwnDefaultIsNotCopied() {
    String main =
        TWO_ONE.replace("default_runtime_name = 'runc'", "default_runtime_name = 'nvidia-cdi'")
            + """
            [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia-cdi.options]
                BinaryName = '/usr/local/nvidia/toolkit/nvidia-container-runtime.cdi'
            """;
    assertThat(Configs.containerd("2.1.4", main).after(ONE, CONTAINERD_OURS))
        .contains("BinaryName = \"\"")
        .doesNotContain("/usr/local/nvidia");
  }

  @Test
  void cdiAndNriThatWereSwitchedOffAreSwitchedOn() {
    String main =
        TWO_ONE
            + """
            [plugins.'io.containerd.nri.v1.nri']
              disable = true
              socket_path = '/run/other.sock'
            """;
    String off =
        main.replace(
            ".containerd]\n",
            "]\n  enable_cdi = false\n[plugins.'io.containerd.cri.v1.runtime'.containerd]\n");
    assertThat(Configs.containerd("2.1.4", off).after(ONE, CONTAINERD_OURS))
        .contains("enable_cdi = true", "nri.v1.nri\"]\ndisable = false\n")
        .doesNotContain("other.sock");
    assertThat(Configs.containerd("2.0.7", off).after(ONE, CONTAINERD_OURS))
        .contains("disable = false\nsocket_path = \"/run/other.sock\"\n");
  }

  @Test
  void settingThatNoDropInCanChange_isReportedAsARemark() {
    String main = "disabled_plugins = ['io.containerd.nri.v1.nri']\n" + TWO_ONE;
    assertThat(Configs.containerd("2.1.4", main).plan(ONE).remarks())
        .anyMatch(line -> line.startsWith("/etc/containerd/config.toml:1:1: disabled_plugins is "));
  }

  /// Measured: containerd 2.0 and 2.4 take files of several versions.
  @Test
  void aHandlerInAFileOfAnotherVersionCounts() {
    String other =
        """
        version = 2
        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
          runtime_type = "io.containerd.runc.v2"
        """;
    assertThat(
            Configs.containerd("2.4.1", TWO_ONE)
                .with("/etc/containerd/conf.d/1.toml", other)
                .plan(ONE))
        .isInstanceOf(RuntimePlan.Nothing.class);
  }

  @Test
  void refusalsNameFileKeyPlaceAndRemedy() {
    assertThat(Configs.containerd("1.7.28", "[plugins.cri]\n").problem(ONE).message())
        .startsWith("/etc/containerd/config.toml: version: a configuration of version 1");
    assertThat(Configs.containerd("1.7.28", "root = '/x'\nversion = 1\n").problem(ONE).message())
        .startsWith("/etc/containerd/config.toml:2:1: version is '1': ");
    assertThat(Configs.containerd("1.6.9", ONE_SEVEN).problem(ONE).message())
        .contains("containerd 1.6 knows neither CDI nor NRI");
    assertThat(Configs.containerd("2.1.4", "version = 3\nroot = /x\n").problem(ONE).message())
        .startsWith("/etc/containerd/config.toml:2:8: this is no TOML");
    assertThat(
            Configs.containerd("2.1.4", "version = 2\ndisabled_plugins = [\"cri\"]\n")
                .problem(ONE)
                .message())
        .startsWith("/etc/containerd/config.toml:2:1: disabled_plugins is 'cri': ");
    assertThat(
            Configs.containerd("2.0.7", TWO_ONE)
                .with("/etc/containerd/conf.d/1.toml", "version = 2\n")
                .problem(ONE)
                .message())
        .startsWith("/etc/containerd/conf.d/1.toml:1:1: version is '2': the main file says 3");
  }
}
