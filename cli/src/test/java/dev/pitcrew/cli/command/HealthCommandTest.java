package dev.pitcrew.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `kubectl gpu health` with the real kubectl, against a real API server.
@WithControlPlane
class HealthCommandTest {
  private final PluginCluster cluster;

  HealthCommandTest(ControlPlane plane) {
    cluster = new PluginCluster(plane);
  }

  @BeforeEach
  void define() {
    cluster.defineFleet();
  }

  @Test
  void gpusThatAreNotHealthy_areListed() {
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    cluster.gpuNode("gpu-2", "False", "GpuUnhealthy", "m", "");

    Run list = cluster.run("health", "list");

    assertThat(list.code()).isEqualTo(ExitCodes.PROBLEM);
    list.assertFits();
    assertThat(list.out())
        .containsPattern("gpu-2 +0 +NeedsReboot")
        .contains("Xid 79", "Next  kubectl gpu explain node gpu-2")
        .doesNotContain("gpu-1");
    assertThat(cluster.run("health", "list", "-o", "name").out()).isEqualTo("node/gpu-2\n");
    assertThat(cluster.run("health", "list", "-o", "json").out())
        .contains("\"next\": \"drain the node and reboot it\"");
  }

  /// What speaks for a level is text that a driver or a kernel wrote.
  @Test
  void evidence_isPrintedSafely() {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: pitcrew.dev/v1alpha1
            kind: GPUNode
            metadata: {name: gpu-1}
            status:
              gpuCount: 1
              gpus:
              - pciAddress: '0000:07:00.0'
                health: {level: Degraded, evidence: ["%s", "%s"]}
            """
                .formatted(PluginCluster.HOSTILE, "x".repeat(1000)),
            GenericKubernetesResource.class));

    for (String output : List.of("table", "wide")) {
      Run list = cluster.run("health", "list", "gpu-1", "-o", output);
      list.assertFits();
      assertThat(list.code()).isEqualTo(ExitCodes.PROBLEM);
      assertThat(list.out()).contains("0000:07:00.0");
    }
  }

  @Test
  void oneNode_isEnough_andAWrongNameIsCorrected() {
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    cluster.gpuNode("gpu-2", "False", "GpuUnhealthy", "m", "");

    assertThat(cluster.run("health", "list", "node/gpu-1"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.err()).contains("No GPU is known to be unhealthy."));
    assertThat(cluster.run("health", "list", "gpu-3"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("Did you mean gpu-1 or gpu-2?"));
    assertThat(cluster.run("health", "list", "--as", "eve"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("eve may not list gpunodes.pitcrew.dev"));
  }

  @Test
  void xid_needsNoCluster() {
    String nowhere = "--server=https://127.0.0.1:1";
    Run xid = cluster.run("health", "xid", "79");

    assertThat(xid.code()).isEqualTo(ExitCodes.OK);
    xid.assertFits();
    assertThat(xid.text())
        .contains("Xid 79 the GPU has fallen off the bus", "Level NeedsReboot", "reboot it");
    assertThat(Objects.json(cluster.run("health", "xid", "31", "-o", "json").out()).at("ignored"))
        .isEqualTo(new Json(true));
    for (List<String> line :
        List.of(
            List.of("health"),
            List.of("health", "xid"),
            List.of("health", "xid", "-1"),
            List.of("health", "xid", "seventy"),
            List.of("health", "lits"),
            List.of("health", "xid", "79", nowhere))) {
      Run run = cluster.run(line.toArray(String[]::new));
      assertThat(run.code()).as(line.toString()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).startsWith("error: ").doesNotContain("Exception");
    }
    assertThat(cluster.run("health", "list", nowhere))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.err()).startsWith("error: https://127.0.0.1:1"));
    assertThat(cluster.run("completion", "--words", "--", "health", "x").out())
        .isEqualTo("xid\n:4\n");
  }
}
