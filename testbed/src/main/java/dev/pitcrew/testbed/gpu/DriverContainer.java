package dev.pitcrew.testbed.gpu;

import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import dev.pitcrew.testbed.image.ShellPrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/// A simulated driver container: its image has the driver's files of one version, a shell for the
/// probe that the operator runs in it, and an entry point that loads the driver into the simulated
/// kernel of its node and shows its files there.
///
/// @param version of the driver
/// @param cuda the newest CUDA version that it supports
public record DriverContainer(String version, String cuda) {
  /// Where the pod of a driver finds the simulated machine: below the one folder that it shares
  /// with its node in both directions.
  public static final String MACHINE = "/run/nvidia/simulated-machine";

  /// Of the machine, for a program that would call its kernel.
  public static final String PROGRAM = "/sbin/nvidia-driver";

  private static final String ENTRY = "/usr/bin/nvidia-driver";
  private static final String NO_STATE = "/" + SimulatedNode.STATE;

  /// Writes the archive.
  ///
  /// @param folder for it and what it is made of
  /// @param name as a pod asks for it
  public Path imageIn(Path folder, String name) {
    var simulator = NativeBuild.find();
    var files = new NodeFolder(folder.resolve("driver-" + version));
    var driver = new DriverFiles(files, "/", version);
    driver.write(simulator);
    // The boards are laid over it.
    files.text(NO_STATE, "");
    files.link(driver.libraries() + NO_STATE, "../../.." + NO_STATE);
    return Image.named(name)
        .withEntrypoint("nvidia-driver")
        .withEnvironment("PATH", "/usr/bin:/bin")
        .withEnvironment("DRIVER_VERSION", version)
        .withEnvironment("FAKEDRIVER_CUDA", cuda)
        .withEnvironment("FAKEDRIVER_FILES", SimulatedNodeOptions.CONTAINER_ROOT)
        .withEnvironment("FAKEDRIVER_ROOT", MACHINE)
        .withEnvironment("NVML_SIM_STATE", MACHINE + NO_STATE)
        .withLayer(ShellPrograms.layer())
        .withLayer(
            Layer.titled("driver " + version)
                .withTree("/", made(files.root()), path -> !path.equals("/"))
                .withFile(ENTRY, simulator.driverContainer()))
        .writeTo(folder.resolve("driver-" + version + ".tar"));
  }

  private static Path made(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("find " + folder, e);
    }
  }
}
