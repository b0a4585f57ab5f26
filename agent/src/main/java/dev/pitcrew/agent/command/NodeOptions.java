package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/// Where the node is; every command that reads it takes these. The driver root is one of the
/// reference's flags.
public final class NodeOptions {
  @Option(
      names = "--host-root",
      paramLabel = "<folder>",
      defaultValue = "${env:HOST_ROOT:-/}",
      description = "Where / of the host is (variable: HOST_ROOT; default: /).")
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
    return places(() -> roots);
  }

  /// As above, of a configuration that may change.
  NodePlaces places(Supplier<DriverRoots> roots) {
    var host = new HostRoot(hostRoot);
    return new NodePlaces(
        host,
        () -> finder(host, roots.get()).now(),
        Optional.of(nvml).filter(path -> !path.isEmpty()));
  }

  private static DriverRootFinder finder(HostRoot host, DriverRoots roots) {
    return DriverRootFinder.configured(
        host,
        Optional.of(roots.driverInContainer()).filter(path -> !path.isEmpty()).map(Path::of),
        roots.driver(),
        Optional.of(roots.dev()).filter(dev -> !dev.equals(roots.driver())));
  }
}
