package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.gpu.DriverContainer;
import java.nio.file.Path;
import java.util.List;

/// The drivers that the nodes have one after the other, and the images that the real node runs of
/// them: simulated driver containers under the names that the operator asks for.
///
/// @param first the one that the chart is installed with
record DemoDrivers(DriverContainer first) {
  /// To which the first is upgraded.
  static final DriverContainer NEXT = new DriverContainer("595.91.07", "13.2");

  private static final String FIRST = "580.95.05";
  private static final String CUDA = "13.0";

  /// The chart's default repository and image, for the operating system of all nodes.
  private static final String IMAGE = "nvcr.io/nvidia/driver:%s-ubuntu22.04";

  static DemoDrivers of(DemoValues values) {
    return new DemoDrivers(new DriverContainer(values.driverVersion().orElse(FIRST), CUDA));
  }

  List<DriverContainer> all() {
    return List.of(first, NEXT);
  }

  /// Writes the archives.
  List<Path> imagesIn(Path folder) {
    return all().stream()
        .map(driver -> driver.imageIn(folder, IMAGE.formatted(driver.version())))
        .toList();
  }
}
