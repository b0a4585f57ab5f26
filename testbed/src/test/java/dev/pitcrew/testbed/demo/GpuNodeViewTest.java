package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuNodeViewTest {
  @Test
  void view_showsWhatTheAgentHasWritten() {
    var view =
        view(
            """
            status:
              gpuCount: 8
              driver: {version: 550.163.01}
              sharing: {strategy: TimeSlicing, replicas: 4}
              conditions:
              - {type: Healthy, status: "False", reason: GPUUnhealthy, message: one}
              - {type: Ready, status: "True", reason: AllReady, message: all is well}
            """);

    assertThat(view.words()).isEqualTo("8 GPUs, driver 550.163.01, Ready=True (AllReady)");
    assertThat(view.message()).isEqualTo("all is well");
    assertThat(view.sharingWords()).isEqualTo("TimeSlicing, 4 replicas");
  }

  @Test
  void onlyAGpuThatIsNotHealthyIsUnhealthy() {
    var view =
        view(
            """
            status:
              gpus:
              - {pciAddress: "0000:07:00.0", index: 0, health: {level: Healthy}}
              - {pciAddress: "0000:08:00.0", index: 1}
              - {pciAddress: "0000:09:00.0", index: 2, health: {level: NeedsReset, evidence: [Xid 79]}}
            """);

    assertThat(view.unhealthy()).isEqualTo(Map.of(2, "NeedsReset: Xid 79"));
  }

  @Test
  void checksAndHostAreShownAsTheyAreWritten() {
    var view =
        view(
            """
            status:
              host:
                name: Ubuntu 22.04.5 LTS
                profile: Plain
                runtime: {owner: Host, reason: it has a handler}
              validation:
              - {name: driver, state: Passed, message: it answers}
              - {name: cdi, state: Waiting}
            """);

    assertThat(view.host())
        .isEqualTo(
            new GpuNodeView.HostView(
                "Ubuntu 22.04.5 LTS", "Plain", "Host: it has a handler", "-: -", "-: -"));
    assertThat(view.checks())
        .containsExactly(
            new GpuNodeView.CheckView("driver", "Passed", "it answers"),
            new GpuNodeView.CheckView("cdi", "Waiting", "-"));
  }

  @Test
  void beforeTheAgentHasWrittenNothingIsKnown() {
    assertThat(GpuNodeView.of(Optional.empty()).words()).isEqualTo("0 GPUs, driver -, Ready=- (-)");
  }

  private static GpuNodeView view(String status) {
    var yaml =
        """
        apiVersion: pitcrew.dev/v1alpha1
        kind: GPUNode
        metadata: {name: real-h100}
        %s\
        """
            .formatted(status);
    return GpuNodeView.of(
        new KubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class));
  }
}
