package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import java.util.List;
import java.util.regex.Pattern;

/// A user's pod has GPUs in a user namespace, where no device node can be made and no file of a
/// driver container can be idmapped.
record UserNamespaceStep(Screen screen, ControlPlane controlPlane, GpuServer server)
    implements Step<List<String>> {
  private static final int COUNT = 2;
  private static final Pattern SHOWN = Pattern.compile("(uid-map|device /dev/nvidia).*");

  @Override
  public String title() {
    return "A pod with hostUsers: false asks for nvidia.com/gpu: " + COUNT;
  }

  @Override
  public List<String> play(Checks checks) {
    var watch = Stopwatch.start();
    var spec =
        ProbePodSpec.on(server.node()).withLimit("nvidia.com/gpu", COUNT).withUserNamespace();
    try (var _ = screen.waiting(() -> "waiting for the pod's container");
        var pod = GpuPod.run(controlPlane.client(), spec)) {
      screen.container(watch.elapsed(), pod.words(), SHOWN);
      checks.equal(
          "its root is a user of the node without rights",
          true,
          pod.hasUserNamespace(),
          "The kubelet or the runtime of the node does not support user namespaces.");
      checks.equal(
          "GPUs that the container has",
          COUNT,
          pod.gpus().size(),
          "The kubelet's log has the device plugin's answer.");
      checks.equal(
          "device files that CUDA needs and that are not there",
          List.of(),
          pod.missingForCuda(),
          "The host's /dev lacks a link to the driver container's; the agent's log says why.");
      return pod.gpus();
    }
  }
}
