package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsCommandTest {
  @TempDir Path folder;

  @Test
  void oneScrapeIsPrintedWithRates() {
    var run = CommandRun.of(node(), "metrics", "--oneshot", "-n");

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(run.output())
        .contains("# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n")
        .contains("\nDCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL{gpu=\"1\",")
        .contains("\nDCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",")
        .contains("\npitcrew_metrics_driver_answers 1\n")
        .doesNotContain("hostname");
  }

  @Test
  void aCountersFileWithAMistakeIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("c.csv"), "DCGM_FI_DEV_GPU_TMP, gauge, x\n");

    var run = CommandRun.of(node(), "metrics", "--oneshot", "-f", file.toString());

    assertThat(run.exitCode()).isEqualTo(PitcrewCommand.FAILED);
    assertThat(run.errors())
        .isEqualTo(
            file
                + ":1: 'DCGM_FI_DEV_GPU_TMP': no field of this name (is DCGM_FI_DEV_GPU_TEMP meant?);"
                + " correct it, or remove the row\n");
  }

  @Test
  void nothingIsServedUnderAWrongWebConfiguration() throws IOException {
    Path file = Files.writeString(folder.resolve("web.yml"), "basic_auth_user: {}\n");

    var run =
        CommandRun.of(node(), "metrics", "-a", "127.0.0.1:0", "--web-config-file", file.toString());

    assertThat(run.exitCode()).isEqualTo(PitcrewCommand.FAILED);
    assertThat(run.errors())
        .isEqualTo(
            file
                + ":1: basic_auth_user: no such key; write one of tls_server_config, http_server_config, basic_auth_users\n");
  }

  @Test
  void aValueWithoutEffectIsSaid() {
    var run = CommandRun.of(node(), "metrics", "--oneshot", "-d", "x", "--open-metrics");

    assertThat(run.exitCode()).isZero();
    assertThat(run.errors())
        .startsWith("warning: DCGM_EXPORTER_DEVICES_STR: 'x' has no effect; give f, g or i")
        .hasLineCount(1);
    assertThat(run.output()).endsWith("# EOF\n");
  }

  private SimulatedNode node() {
    return SimulatedNode.create(
        folder.resolve("node"), SimulatedNodeOptions.of("h100").withGpus(2));
  }
}
