package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The driver's device nodes, which only root can make and not in every container.
record DeviceNodes(NodeFolder folder) {
  private static final int CONTROL_MINOR = 255;
  private static final int MODESET_MINOR = 254;
  private static final String CAPABILITY = "/dev/nvidia-caps/nvidia-cap";

  /// Whether they could be made.
  boolean make(List<SimulatedGpu> gpus) {
    folder.folder("/dev/nvidia-caps");
    return of(gpus, DeviceNumbers.ofThisMachine()).stream().allMatch(this::make);
  }

  /// Those of MIG devices, which the driver makes when they are asked for.
  ///
  /// @param minors as `nvml-sim STATE minors` prints them
  boolean make(List<SimulatedGpu> gpus, List<SimulatedMigDevice> devices, String minors) {
    var numbers = DeviceNumbers.ofThisMachine();
    return devices.stream()
        .flatMap(device -> device.capabilities(gpus.get(device.gpu()).minor()).stream())
        .distinct()
        .mapToInt(capability -> minor(capability, minors))
        .mapToObj(minor -> new DeviceNode(CAPABILITY + minor, numbers.capabilities(), minor))
        .filter(node -> !Files.exists(folder.at(node.path())))
        .allMatch(this::make);
  }

  private static int minor(String capability, String minors) {
    return minors
        .lines()
        .filter(line -> line.startsWith(capability + " "))
        .mapToInt(line -> Integer.parseInt(line.substring(capability.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  static List<DeviceNode> of(List<SimulatedGpu> gpus, DeviceNumbers numbers) {
    var nodes = new ArrayList<DeviceNode>();
    nodes.add(new DeviceNode("/dev/nvidiactl", numbers.gpus(), CONTROL_MINOR));
    nodes.add(new DeviceNode("/dev/nvidia-modeset", numbers.gpus(), MODESET_MINOR));
    nodes.add(new DeviceNode("/dev/nvidia-uvm", numbers.uvm(), 0));
    nodes.add(new DeviceNode("/dev/nvidia-uvm-tools", numbers.uvm(), 1));
    nodes.add(new DeviceNode(CAPABILITY + 1, numbers.capabilities(), 1));
    nodes.add(new DeviceNode(CAPABILITY + 2, numbers.capabilities(), 2));
    gpus.forEach(
        gpu -> nodes.add(new DeviceNode("/dev/nvidia" + gpu.minor(), numbers.gpus(), gpu.minor())));
    return nodes;
  }

  private boolean make(DeviceNode node) {
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
