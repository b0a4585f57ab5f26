package dev.pitcrew.hardware.driver;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Where the driver's files and its device nodes lie, as we see them and as the host does.
///
/// @param files the driver root as we see it
/// @param filesOnHost the same folder as the host names it
/// @param devices the root whose `/dev` has the device nodes
public record DriverRoot(
    RootFolder files, String filesOnHost, RootFolder devices, String devicesOnHost) {

  /// A driver container's, the host's own, and that of GKE's driver installer.
  static final List<String> USUAL =
      List.of("/run/nvidia/driver", "/", "/home/kubernetes/bin/nvidia");

  /// A driver root as we see it under one path and the host under another, such as `/driver-root`
  /// and `/run/nvidia/driver`.
  ///
  /// @param devicesOnHost the root of the device nodes on the host; where empty, the driver root
  ///   where that has a `/dev`, else the host's root
  public static DriverRoot at(Path driver, String onHost, Optional<String> devicesOnHost) {
    RootFolder files = new RootFolder(driver);
    if (files.isFolder("/dev")) {
      return new DriverRoot(files, onHost, files, devicesOnHost.orElse(onHost));
    }
    return new DriverRoot(files, onHost, new RootFolder(Path.of("/")), devicesOnHost.orElse("/"));
  }

  /// The driver root below a host's root.
  ///
  /// @param onHost the driver root as the host names it
  /// @param devicesOnHost as in [#at]
  public static DriverRoot below(Path host, String onHost, Optional<String> devicesOnHost) {
    RootFolder files = folder(host, onHost);
    String devices = devicesOnHost.orElse(files.isFolder("/dev") ? onHost : "/");
    return new DriverRoot(files, onHost, folder(host, devices), devices);
  }

  /// The first of the usual driver roots that has a driver library.
  public static Optional<DriverRoot> find(Path host) {
    return USUAL.stream()
        .map(onHost -> below(host, onHost, Optional.empty()))
        .filter(root -> LibrarySearch.in(root.files()).driverVersion().isPresent())
        .findFirst();
  }

  private static RootFolder folder(Path host, String onHost) {
    RootFolder root = new RootFolder(host);
    return root.resolve(onHost)
        .map(root::at)
        .filter(Files::isDirectory)
        .map(RootFolder::new)
        .orElseGet(() -> new RootFolder(host.resolve(onHost.substring(1))));
  }
}
