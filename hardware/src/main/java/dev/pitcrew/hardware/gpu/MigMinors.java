package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.hardware.HostRoot;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// The kernel's list of capability files, `/proc/driver/nvidia-caps/mig-minors`: a path such as
/// `gpu0/gi1/ci0/access` and the minor number of its device node.
record MigMinors(Map<String, Integer> minors) {
  private static final String FILE = "/proc/driver/nvidia-caps/mig-minors";
  private static final Pattern LINE = Pattern.compile("(\\S+)\\s+([0-9]{1,7})\\s*");

  MigMinors {
    minors = Map.copyOf(minors);
  }

  /// Reads the list when it is first asked for, and once.
  static Supplier<MigMinors> onDemand(HostRoot host) {
    return new Supplier<>() {
      private Optional<MigMinors> read = Optional.empty();

      @Override
      public synchronized MigMinors get() {
        MigMinors found = read.orElseGet(() -> MigMinors.read(host));
        read = Optional.of(found);
        return found;
      }
    };
  }

  private static MigMinors read(HostRoot host) {
    return parse(host.text(FILE).orElse(""));
  }

  static MigMinors parse(String text) {
    var minors = new HashMap<String, Integer>();
    text.lines()
        .map(LINE::matcher)
        .filter(line -> line.matches())
        .forEach(line -> minors.put(line.group(1), Integer.valueOf(line.group(2))));
    return new MigMinors(minors);
  }

  /// The files of a compute instance; empty where the kernel does not list both.
  ///
  /// @param gpuMinor the minor number of the GPU, not its index
  Optional<MigCapabilities> of(int gpuMinor, MigPlace place) {
    var folder = "gpu" + gpuMinor + "/gi" + place.gpuInstance();
    var gpuInstance = minors.get(folder + "/access");
    var computeInstance = minors.get(folder + "/ci" + place.computeInstance() + "/access");
    return gpuInstance == null || computeInstance == null
        ? Optional.empty()
        : Optional.of(new MigCapabilities(gpuInstance, computeInstance));
  }
}
