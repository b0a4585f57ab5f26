package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.node.GpuPod;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every way to pass the GPUs of a container to its runtime, with the pod that asked.
@WithGpuNode
class ListStrategiesTest {
  private static final String STRATEGY = "DEVICE_LIST_STRATEGY";
  private static final String VISIBLE = "NVIDIA_VISIBLE_DEVICES";
  private static final String MOUNTS = "/var/run/nvidia-container-devices";

  private final GpuNode node;

  ListStrategiesTest(GpuNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @ValueSource(strings = {"cdi-cri", "cdi-annotations"})
  void aPodGetsTheGpusThatAreNamedByCdiAndNoOther(String strategy) {
    node.offerWhole(Wanted.DEFAULT.with(STRATEGY, strategy), GpuNode.GPU, GpuNode.GPUS);

    try (var pod = node.run(2)) {
      assertThat(pod.gpus()).hasSize(2);
      assertThat(pod.words())
          .contains("env NVIDIA_CTK_LIBCUDA_DIR=/usr/lib/x86_64-linux-gnu")
          .anyMatch(line -> line.startsWith("device /dev/nvidiactl c 195:255"));
    }
  }

  @Test
  void aVariableNamesTheGpusForTheRuntime() {
    node.offerWhole(Wanted.DEFAULT.with(STRATEGY, "envvar"), GpuNode.GPU, GpuNode.GPUS);

    try (var pod = node.run(2)) {
      assertThat(node.devicesOf(visible(pod))).hasSize(2);
      assertThat(pod.gpus()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"uuid", "index"})
  void theDeviceFilesAreThoseOfTheGpusThatAreNamed(String names) {
    node.offerWhole(
        withDeviceFiles("envvar").with("DEVICE_ID_STRATEGY", names), GpuNode.GPU, GpuNode.GPUS);

    try (var pod = node.run(2)) {
      assertThat(pod.gpus()).hasSize(2).isEqualTo(node.devicesOf(visible(pod)));
      assertThat(pod.words())
          .anyMatch(line -> line.matches("device /dev/nvidia-uvm c (?!195)\\d+:0 .*"));
    }
  }

  @Test
  void mountsNameTheGpusForTheRuntime() {
    node.offerWhole(withDeviceFiles("volume-mounts"), GpuNode.GPU, GpuNode.GPUS);

    try (var pod = node.run(node.pod(2).withFiles(mountsOfAll()))) {
      assertThat(visible(pod)).isEqualTo(MOUNTS);
      assertThat(pod.gpus()).hasSize(2).isEqualTo(node.devicesOf(mounted(pod)));
    }
  }

  private static Wanted withDeviceFiles(String strategy) {
    return Wanted.DEFAULT.with(STRATEGY, strategy).with("PASS_DEVICE_SPECS", "true");
  }

  private static String visible(GpuPod pod) {
    return pod.pod().variable(VISIBLE).orElse("");
  }

  private List<String> mountsOfAll() {
    return node.gpus().gpus().stream()
        .map(SimulatedGpu::uuid)
        .map(it -> MOUNTS + "/" + it)
        .toList();
  }

  /// The GPUs whose files are there.
  private String mounted(GpuPod pod) {
    List<String> words = pod.words();
    List<String> found =
        node.gpus().gpus().stream()
            .map(SimulatedGpu::uuid)
            .filter(uuid -> words.contains("file " + MOUNTS + "/" + uuid + " ok"))
            .toList();
    return String.join(",", found);
  }
}
