package dev.pitcrew.testbed.node;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.regex.Pattern;

/// A pod that asks for GPUs and prints what its container sees. Closing it returns when it is gone.
public record GpuPod(ProbePod pod) implements AutoCloseable {
  private static final String GPU = "nvidia.com/gpu";
  private static final List<String> CUDA =
      List.of("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");
  private static final Pattern GPU_DEVICE = Pattern.compile("/dev/nvidia\\d+");

  /// A pod with `count` of `nvidia.com/gpu`; returns when its container runs.
  public static GpuPod run(KubernetesClient client, RealNode node, int count) {
    return run(client, ProbePodSpec.on(node).withLimit(GPU, count));
  }

  /// Returns when the container runs.
  public static GpuPod run(KubernetesClient client, ProbePodSpec spec) {
    return new GpuPod(ProbePod.run(client, spec));
  }

  /// The device files of GPUs that the container has, such as `/dev/nvidia0`.
  public List<String> gpus() {
    return pod.devices().stream().filter(GPU_DEVICE.asMatchPredicate()).toList();
  }

  /// The device files beside those of GPUs without which no CUDA program starts.
  public List<String> missingForCuda() {
    return CUDA.stream().filter(file -> !pod.devices().contains(file)).toList();
  }

  /// Whether root of the container is another user on the node.
  public boolean hasUserNamespace() {
    return pod.words().stream().anyMatch(line -> line.startsWith("uid-map 0 "))
        && !pod.words().contains("uid-map 0 0 4294967295");
  }

  /// All that the container prints; see
  /// [StaticProgram#PROBE][dev.pitcrew.testbed.image.StaticProgram].
  public List<String> words() {
    return pod.words();
  }

  public boolean isRunning() {
    return pod.isRunning();
  }

  @Override
  public void close() {
    pod.close();
  }
}
