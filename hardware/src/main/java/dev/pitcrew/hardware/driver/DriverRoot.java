package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Where the driver's files and its device nodes lie, as we see them and as the host does.
///
/// @param files the driver root as we see it
/// @param filesOnHost the same folder as the host names it
/// @param devices the root whose `/dev` has the device nodes
public record DriverRoot(
    HostRoot files, String filesOnHost, HostRoot devices, String devicesOnHost) {

  /// A driver container's, the host's own, and that of GKE's driver installer.
  static final List<String> USUAL =
      List.of("/run/nvidia/driver", "/", "/home/kubernetes/bin/nvidia");

  /// A driver root as we see it under one path and the host under another, such as `/driver-root`
  /// and `/run/nvidia/driver`.
  ///
  /// @param host whose `/dev` is taken where the driver root has none
  /// @param devicesOnHost the root of the device nodes on the host; where empty, the driver root
  ///   where that has a `/dev`, else the host's root
  public static DriverRoot at(
      HostRoot driver, String onHost, HostRoot host, Optional<String> devicesOnHost) {
    return hasDevices(driver)
        ? new DriverRoot(driver, onHost, driver, devicesOnHost.orElse(onHost))
        : new DriverRoot(driver, onHost, host, devicesOnHost.orElse("/"));
  }

  /// The driver root below a host's root.
  ///
  /// @param onHost the driver root as the host names it
  /// @param devicesOnHost as in [#at]
  public static DriverRoot below(HostRoot host, String onHost, Optional<String> devicesOnHost) {
    HostRoot files = root(host, onHost);
    String devices = devicesOnHost.orElse(hasDevices(files) ? onHost : "/");
    return new DriverRoot(files, onHost, root(host, devices), devices);
  }

  /// The first of the usual driver roots that has a driver library.
  public static Optional<DriverRoot> find(HostRoot host) {
    return USUAL.stream()
        .map(onHost -> below(host, onHost, Optional.empty()))
        .filter(DriverRoot::hasDriver)
        .findFirst();
  }

  /// Whether the driver's library is there.
  public boolean hasDriver() {
    return version().isPresent();
  }

  /// The version of the driver's library, by its name.
  public Optional<String> version() {
    return LibrarySearch.in(files).driverVersion();
  }

  /// Whether CUDA's library of some version is there.
  public boolean hasCuda() {
    return !LibrarySearch.in(files).find("libcuda.so.*.*").isEmpty();
  }

  private static boolean hasDevices(HostRoot root) {
    return new RootFolder(root).isFolder("/dev");
  }

  static HostRoot root(HostRoot host, String onHost) {
    try {
      return host.below(onHost);
    } catch (IOException _) {
      // Links in a circle: nothing will be found below them.
      return new HostRoot(host.folder().resolve(onHost.substring(1)));
    }
  }
}
