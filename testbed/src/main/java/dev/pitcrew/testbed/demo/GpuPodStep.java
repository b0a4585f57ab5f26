package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.KubeletCheckpoint;
import dev.pitcrew.testbed.node.ProbePodSpec;
import java.util.List;
import java.util.regex.Pattern;

/// A user's pod asks for GPUs and prints what its container sees.
record GpuPodStep(Screen screen, ControlPlane controlPlane, GpuServer server)
    implements Step<List<String>> {
  private static final int COUNT = 2;
  private static final Pattern SHOWN =
      Pattern.compile("(env (NVIDIA|CUDA)_|device /dev/nvidia|api-server).*");

  @Override
  public String title() {
    return "A pod asks for nvidia.com/gpu: " + COUNT;
  }

  @Override
  public List<String> play(Checks checks) {
    var watch = Stopwatch.start();
    var spec = ProbePodSpec.on(server.node()).withLimit("nvidia.com/gpu", COUNT);
    try (var _ = screen.waiting(() -> "waiting for the pod's container");
        var pod = GpuPod.run(controlPlane.client(), spec)) {
      var words = pod.words();
      var allocated = KubeletCheckpoint.of(server.node()).devices(uid(pod));
      screen.container(watch.elapsed(), words, SHOWN);
      screen.line("The kubelet allocated: " + String.join(" ", allocated));
      check(pod, allocated, checks);
      return pod.gpus();
    }
  }

  private void check(GpuPod pod, List<String> allocated, Checks checks) {
    checks.equal(
        "GPUs that the container has",
        COUNT,
        pod.gpus().size(),
        "The kubelet's log has the device plugin's answer.");
    checks.equal(
        "their UUIDs",
        allocated,
        server.uuids(pod.gpus()),
        "The CDI specification in /var/run/cdi of the node has other device nodes.");
    checks.equal(
        "device files that CUDA needs and that are not there",
        List.of(),
        pod.missingForCuda(),
        "A driver container has no /dev/nvidia-uvm; the agent's log says why it could not make it.");
  }

  private static String uid(GpuPod pod) {
    return pod.pod().current().getMetadata().getUid();
  }
}
