package dev.pitcrew.testbed.gpu;

import java.util.List;

/// A MIG device as the simulator shows it.
///
/// @param gpu the NVML index of its GPU
/// @param index its place among the MIG devices of the GPU
public record SimulatedMigDevice(
    int gpu, int index, String uuid, int gpuInstance, int computeInstance) {

  /// Of what `nvml-sim STATE show` prints.
  static List<SimulatedMigDevice> parse(String shown) {
    return shown
        .lines()
        .filter(line -> line.startsWith("mig "))
        .map(line -> of(line.split(" ")))
        .toList();
  }

  private static SimulatedMigDevice of(String[] words) {
    return new SimulatedMigDevice(
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        words[3],
        Integer.parseInt(words[4]),
        Integer.parseInt(words[5]));
  }
}
