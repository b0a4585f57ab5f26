package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The device nodes that a driver has before anything else makes one: `nvidia-smi` makes that of
/// the control device and those of GPUs where it first runs. Those of unified memory, of displays
/// and of MIG devices are made by `nvidia-modprobe`, which no driver container runs
/// (gpu-driver-container 06a208c, `ubuntu24.04/nvidia-driver`); a host's driver makes them when
/// CUDA is first used. Only root can make them, and not in every container.
record DeviceNodes(NodeFolder folder, String root) {
  private static final int CONTROL_MINOR = 255;
  private static final int NVIDIA = 195;

  /// Whether they could be made.
  boolean make(List<SimulatedGpu> gpus) {
    folder.folder(root + "/dev");
    return of(gpus).stream().allMatch(this::make);
  }

  record Node(String path, int minor) {}

  static List<Node> of(List<SimulatedGpu> gpus) {
    var nodes = new ArrayList<Node>();
    nodes.add(new Node("/dev/nvidiactl", CONTROL_MINOR));
    gpus.forEach(gpu -> nodes.add(new Node("/dev/nvidia" + gpu.minor(), gpu.minor())));
    return nodes;
  }

  private boolean make(Node node) {
    Path path = folder.at(root + node.path());
    var command =
        List.of(
            "mknod",
            "-m",
            "0666",
            path.toString(),
            "c",
            String.valueOf(NVIDIA),
            String.valueOf(node.minor()));
    try {
      var process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
