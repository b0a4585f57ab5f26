package dev.pitcrew.testbed.gpu;

import dev.pitcrew.testbed.TestbedException;
import java.util.List;
import java.util.Locale;

/// A GPU as the simulator shows it.
///
/// @param pciAddress as the kernel writes it, such as `0000:07:00.0`
/// @param numaNode negative where the node has none
public record SimulatedGpu(
    int index, int minor, String uuid, String pciAddress, int numaNode, String name) {
  private static final int FIELDS = 7;
  private static final int SHORT_ADDRESS = "0000:07:00.0".length();

  /// Of what `nvml-sim STATE show` prints.
  static List<SimulatedGpu> parse(String shown) {
    return shown
        .lines()
        .filter(line -> line.startsWith("gpu "))
        .map(line -> of(line.split(" ", FIELDS)))
        .toList();
  }

  private static SimulatedGpu of(String[] words) {
    if (words.length < FIELDS) {
      throw new TestbedException("nvml-sim shows a GPU as " + String.join(" ", words));
    }
    return new SimulatedGpu(
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        words[3],
        address(words[4].toLowerCase(Locale.ROOT)),
        Integer.parseInt(words[5]),
        words[6]);
  }

  // NVML writes the PCI domain with eight digits, the kernel with four.
  private static String address(String busId) {
    return busId.substring(Math.max(0, busId.length() - SHORT_ADDRESS));
  }
}
