package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Where the node is; every command that reads it takes these. The driver root is one of the
/// reference's flags.
public final class NodeOptions {
  @Option(
      names = "--host-root",
      paramLabel = "<folder>",
      defaultValue = "/",
      description = "Where / of the host is (default: ${DEFAULT-VALUE}).")
  Path hostRoot = Path.of("/");

  @Option(
      names = "--nvml",
      paramLabel = "<path>",
      defaultValue = "",
      description = "The library libnvidia-ml.so.1 (default: the one below the driver root).")
  String nvml = "";

  /// The driver root is where it is mounted for this program; where nothing is mounted, where it is
  /// on the host.
  public NodePlaces places(DriverRoots roots) {
    var host = new HostRoot(hostRoot);
    Path mounted = Path.of(roots.driverInContainer());
    boolean isMounted = !roots.driverInContainer().isEmpty() && Files.isDirectory(mounted);
    HostRoot driver = isMounted ? new HostRoot(mounted) : below(host, roots.driver());
    return new NodePlaces(host, driver, Optional.of(nvml).filter(path -> !path.isEmpty()));
  }

  private static HostRoot below(HostRoot host, String driverRoot) {
    try {
      return host.below(driverRoot.isEmpty() ? "/" : driverRoot);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot find the driver root " + driverRoot, failure);
    }
  }
}
