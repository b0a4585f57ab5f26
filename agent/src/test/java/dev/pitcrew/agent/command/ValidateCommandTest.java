package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodeMaker;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValidateCommandTest {
  private static final String RUNTIME = "/etc/containerd/config.toml";

  @TempDir private Path folder;
  private SimulatedNode node;

  @BeforeEach
  void prepare() {
    node =
        SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("h100").withGpus(2));
    node.faults().file(RUNTIME, "[plugins.x.containerd.runtimes.nvidia]\n");
    // As the agent of the node does.
    var host = new HostRoot(node.hostRoot());
    var root = DriverRoot.find(host).orElseThrow();
    new DeviceNodeMaker(root, host).makeNodes(Set.of(0, 1), Set.of());
  }

  @Test
  void workingNode_isReportedInATable() {
    var run = run("validate");

    assertThat(run.exitCode()).as(run.output() + run.errors()).isZero();
    assertThat(run.output())
        .contains(
            "driver          ok       driver 550.163.01 below /run/nvidia/driver answers for 2",
            "toolkit         ok       handler nvidia is in /etc/containerd/config.toml",
            "nvidia-fs       off",
            "\nThis node works.\n");
  }

  @Test
  void failedCheck_isReportedWithItsReasonAndTheRemedy() throws IOException {
    node.unloadDriver();

    var run = run("validate");
    var json = run("validate", "-o", "json");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output())
        .contains(
            "driver          FAILED   ModuleNotLoaded: ",
            "toolkit         waiting  waits for driver",
            "This node does not work: driver (ModuleNotLoaded).");
    assertThat(run.output().lines()).allMatch(line -> line.length() <= 130);
    var report = new ObjectMapper().readTree(json.output());
    assertThat(json.exitCode()).isEqualTo(1);
    assertThat(report.path("works").asBoolean()).isFalse();
    assertThat(report.at("/blockers/0/reason").asText()).isEqualTo("ModuleNotLoaded");
    assertThat(report.at("/checks/0/state").asText()).isEqualTo("Failed");
  }

  @Test
  void driverContainerWithoutUnifiedMemoryIsBlockedByName() throws IOException {
    Files.delete(node.driverRoot().resolve("dev/nvidia-uvm"));

    assertThat(run("validate").output())
        .containsSubsequence(
            "DeviceNodesMissing", "below /run/nvidia/driver there is no", "/dev/nvidia-uvm");
  }

  @Test
  void requestedPart_isCheckedAndReportedAlone() {
    var missing = run("validate", "--component", "gdrcopy");
    node.faults().loadModule("gdrdrv");
    var loaded = run("validate", "--component=gdrcopy");

    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.output()).startsWith("gdrcopy         FAILED   GdrcopyNotLoaded: ");
    assertThat(loaded.exitCode()).isZero();
    assertThat(loaded.output()).startsWith("gdrcopy         ok ").doesNotContain("driver ");
  }

  @Test
  void checkpointOfTheKubelet_showsWhatTheNodeHas() {
    var unseen = run("validate", "--component", "plugin");
    node.faults()
        .file(
            "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint",
            "{\"Data\": {\"RegisteredDevices\": {\"nvidia.com/gpu\": [\"a\", \"b\"]}}}");
    var seen = run("validate", "--component", "plugin");

    assertThat(unseen.exitCode()).isEqualTo(1);
    assertThat(seen.output()).contains("the Node has 2 nvidia.com/gpu");
  }

  @Test
  void statusFilesAreWrittenWhereAFolderIsGiven() {
    Path files = folder.resolve("validations");

    run("validate", "--output-dir", files.toString());

    assertThat(files.resolve("driver-ready")).content().contains("IS_HOST_DRIVER=false\n");
    assertThat(files.resolve("toolkit-ready")).isEmptyFile();
  }

  @Test
  void unknownPart_isRefused() {
    var run = run("validate", "--component", "gpu");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).contains("--component is 'gpu'").hasLineCount(1);
  }

  private CommandRun run(String... arguments) {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--host-root=" + node.hostRoot());
    return CommandRun.of(new NvmlReader(), Map.of(), all.toArray(String[]::new));
  }
}
