package dev.pitcrew.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `kubectl gpu mig` with the real kubectl, against a real API server.
@WithControlPlane
class MigCommandTest {
  private final PluginCluster cluster;

  MigCommandTest(ControlPlane plane) {
    cluster = new PluginCluster(plane);
  }

  @BeforeEach
  void define() {
    cluster.defineFleet();
  }

  @Test
  void nodeThatWaits_isShownWithThePodAndTheCommand() {
    gpuNode("gpu-1", "all-1g.10gb", "actual: all-1g.10gb", "True", "Reconfigured", "");
    gpuNode(
        "gpu-2",
        "half",
        "inTheWay: [{namespace: ml, name: train, uid: u}]",
        "False",
        "Busy",
        PluginCluster.HOSTILE);
    node("gpu-1", "all-1g.10gb");
    node("gpu-2", "half");

    Run status = cluster.run("mig", "status");

    assertThat(status.code()).isEqualTo(ExitCodes.PROBLEM);
    status.assertFits();
    assertThat(status.out())
        .containsPattern("gpu-1 +all-1g.10gb +all-1g.10gb +Applied")
        .containsPattern("gpu-2 +half +1g.10gb x 2 +Busy");
    assertThat(status.text()).contains("kubectl delete pod -n ml train");
    cluster.run("mig", "status", "-o", "wide").assertFits();
    assertThat(cluster.run("mig", "status", "gpu-1").code()).isEqualTo(ExitCodes.OK);
    assertThat(cluster.run("mig", "status", "-o", "json").out())
        .contains("\"waitsFor\": [", "\"ml/train\"");
    assertThat(cluster.run("mig", "status", "-o", "name").out())
        .isEqualTo("node/gpu-2\nnode/gpu-1\n");
  }

  @Test
  void profiles_haveTheirResourceAndWhatIsFree() {
    gpuNode("gpu-1", "all-1g.10gb", "actual: all-1g.10gb", "True", "Reconfigured", "");
    node("gpu-1", "all-1g.10gb");

    Run profiles = cluster.run("mig", "profiles", "gpu-1");

    assertThat(profiles.code()).isEqualTo(ExitCodes.OK);
    profiles.assertFits();
    assertThat(profiles.out()).containsPattern("gpu-1 +1g.10gb +2 +1 +2 +nvidia.com/mig-1g.10gb");
  }

  @Test
  void withoutAnythingOrWithoutRights_itSaysSo() {
    assertThat(cluster.run("mig", "status"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.err()).contains("No GPU can be divided."));
    assertThat(cluster.run("mig", "profiles").err()).contains("No GPU is divided.");
    for (String command : List.of("status", "profiles")) {
      assertThat(cluster.run("mig", command, "--as", "eve"))
          .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
          .satisfies(it -> assertThat(it.text()).contains("eve may not list gpunodes"));
      assertThat(cluster.run("mig", command, "gpu-9").code()).isEqualTo(ExitCodes.USAGE);
    }
  }

  private void gpuNode(
      String name, String desired, String more, String status, String reason, String message) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: pitcrew.dev/v1alpha1
            kind: GPUNode
            metadata: {name: %s}
            status:
              gpuCount: 1
              gpus:
              - pciAddress: '0000:07:00.0'
                index: 0
                migCapable: true
                instances: [{uuid: MIG-1, profile: 1g.10gb}, {uuid: MIG-2, profile: 1g.10gb}]
              mig: {desired: %s, %s}
              conditions:
              - {type: MIGConfigured, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(name, desired, more, status, reason, message),
            GenericKubernetesResource.class));
  }

  private void node(String name, String layout) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true', nvidia.com/mig.config: %s}}
            status:
              capacity: {cpu: '8', nvidia.com/mig-1g.10gb: '2', pods: '20'}
              allocatable: {cpu: '8', nvidia.com/mig-1g.10gb: '2', pods: '20'}
              conditions: [{type: Ready, status: 'True'}]
            """
                .formatted(name, layout),
            Node.class));
  }
}
