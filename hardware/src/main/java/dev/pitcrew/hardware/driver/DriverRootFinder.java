package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds where the driver is at this moment. It is called again whenever it matters: a driver
/// container that comes later mounts its root, and its `/dev`, where nothing was before.
@FunctionalInterface
public interface DriverRootFinder {
  DriverRoot now();

  /// One that is known already.
  static DriverRootFinder always(DriverRoot root) {
    return () -> root;
  }

  /// A configured driver root.
  ///
  /// @param mounted where it is mounted for this process; where that is no folder, it is looked for
  ///   below the host's root
  /// @param onHost the driver root as the host names it
  /// @param devicesOnHost as in [DriverRoot#at]
  static DriverRootFinder configured(
      HostRoot host, Optional<Path> mounted, String onHost, Optional<String> devicesOnHost) {
    return () -> {
      var files =
          mounted
              .filter(Files::isDirectory)
              .map(HostRoot::new)
              .orElseGet(() -> DriverRoot.root(host, onHost.isEmpty() ? "/" : onHost));
      return DriverRoot.at(files, onHost, host, devicesOnHost);
    };
  }

  /// The first driver root that has a driver library: of the usual ones, then of `further`; the
  /// host's own root where none has.
  static DriverRootFinder searching(HostRoot host, List<String> further) {
    return () ->
        Stream.concat(DriverRoot.USUAL.stream(), further.stream())
            .map(onHost -> DriverRoot.below(host, onHost, Optional.empty()))
            .filter(DriverRoot::hasDriver)
            .findFirst()
            .orElseGet(() -> DriverRoot.below(host, "/", Optional.empty()));
  }
}
