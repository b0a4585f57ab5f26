package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.node.RealNode;
import java.util.List;
import java.util.stream.Collectors;

/// The node that has a kubelet and a containerd, and what its GPUs are simulated by.
record GpuServer(RealNode node, SimulatedNode gpus) {
  String name() {
    return node.name();
  }

  /// The UUIDs of GPUs by their device files, such as `/dev/nvidia0`, sorted.
  List<String> uuids(List<String> deviceFiles) {
    var byFile =
        gpus.gpus().stream().collect(Collectors.toMap(GpuServer::deviceFile, SimulatedGpu::uuid));
    return deviceFiles.stream().map(file -> byFile.getOrDefault(file, file)).sorted().toList();
  }

  /// The files of its container runtime, a line each with its digest.
  String runtimeFiles() {
    return node.exec("sh", "-c", "find /etc/containerd -type f | sort | xargs -r sha256sum")
        .output()
        .strip();
  }

  private static String deviceFile(SimulatedGpu gpu) {
    return "/dev/nvidia" + gpu.minor();
  }
}
