package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The driver's device nodes, which only root can make and not in every container.
record DeviceNodes(NodeFolder folder) {
  private static final int GPU_MAJOR = 195;
  private static final int UVM_MAJOR = 510;
  private static final int CAPABILITY_MAJOR = 237;
  private static final int CONTROL_MINOR = 255;
  private static final int MODESET_MINOR = 254;

  private record Node(String path, int major, int minor) {}

  /// Whether they could be made.
  boolean make(List<SimulatedGpu> gpus) {
    folder.folder("/dev/nvidia-caps");
    return nodes(gpus).stream().allMatch(this::make);
  }

  private static List<Node> nodes(List<SimulatedGpu> gpus) {
    var nodes = new ArrayList<Node>();
    nodes.add(new Node("/dev/nvidiactl", GPU_MAJOR, CONTROL_MINOR));
    nodes.add(new Node("/dev/nvidia-modeset", GPU_MAJOR, MODESET_MINOR));
    nodes.add(new Node("/dev/nvidia-uvm", UVM_MAJOR, 0));
    nodes.add(new Node("/dev/nvidia-uvm-tools", UVM_MAJOR, 1));
    nodes.add(new Node("/dev/nvidia-caps/nvidia-cap1", CAPABILITY_MAJOR, 1));
    nodes.add(new Node("/dev/nvidia-caps/nvidia-cap2", CAPABILITY_MAJOR, 2));
    gpus.forEach(gpu -> nodes.add(new Node("/dev/nvidia" + gpu.minor(), GPU_MAJOR, gpu.minor())));
    return nodes;
  }

  private boolean make(Node node) {
    Path path = folder.at(node.path());
    var command =
        List.of(
            "mknod",
            "-m",
            "0666",
            path.toString(),
            "c",
            String.valueOf(node.major()),
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
