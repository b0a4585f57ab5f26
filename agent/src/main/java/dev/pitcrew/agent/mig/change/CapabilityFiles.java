package dev.pitcrew.agent.mig.change;

import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.DeviceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// The device files that open MIG devices. The kernel makes none: whoever opens a MIG device first
/// does, by a program of the driver that containers do not have.
public final class CapabilityFiles {
  private static final String FOLDER = "/dev/nvidia-caps";

  /// Which the driver makes when it is loaded: the capabilities to configure and to monitor.
  private static final List<String> FIRST = List.of("nvidia-cap1", "nvidia-cap2");

  private CapabilityFiles() {}

  /// Makes those that are missing.
  ///
  /// @return a line for each that could not be made
  public static List<String> make(HostRoot host, Inventory inventory) {
    Path folder = host.place(FOLDER);
    List<Path> missing =
        inventory.gpus().stream()
            .flatMap(gpu -> gpu.mig().migDevices().stream())
            .flatMap(part -> part.capabilities().stream())
            .flatMapToInt(it -> IntStream.of(it.gpuInstanceMinor(), it.computeInstanceMinor()))
            .distinct()
            .mapToObj(minor -> folder.resolve("nvidia-cap" + minor))
            .filter(file -> !Files.exists(file))
            .toList();
    OptionalInt major = major(folder);
    return missing.stream()
        .filter(file -> major.isEmpty() || !DeviceFile.make(file, major.getAsInt(), minor(file)))
        .map("%s cannot be made; containers cannot open its MIG device"::formatted)
        .toList();
  }

  private static int minor(Path file) {
    return Integer.parseInt(file.getFileName().toString().substring("nvidia-cap".length()));
  }

  private static OptionalInt major(Path folder) {
    return FIRST.stream()
        .map(folder::resolve)
        .map(DeviceFile::major)
        .flatMapToInt(found -> found.stream())
        .findFirst();
  }
}
