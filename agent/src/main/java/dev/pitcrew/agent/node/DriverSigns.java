package dev.pitcrew.agent.node;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.FolderEvents;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import dev.pitcrew.hardware.linux.KernelEvents;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What announces that the driver or a GPU comes or goes: the kernel's events, the device files and
/// the folder of a driver container. A mount causes no event, so a caller that waits for a driver
/// also has to poll.
public final class DriverSigns implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverSigns.class);
  private static final String DRIVER_CONTAINER = "/run/nvidia/driver";

  private final Optional<KernelEvents> kernel;
  private final Optional<FolderEvents> folders;

  private DriverSigns(Optional<KernelEvents> kernel, Optional<FolderEvents> folders) {
    this.kernel = kernel;
    this.folders = folders;
  }

  /// @param onSign called on any thread
  static DriverSigns watch(HostRoot host, Runnable onSign) {
    return watch(host, List.of(), onSign);
  }

  /// As [#watch(HostRoot, Runnable)], for a caller that watches more.
  ///
  /// @param more names of files that come and go
  public static DriverSigns watch(HostRoot host, List<Names> more, Runnable onSign) {
    var kernel = KernelEvents.ofGpus(onSign);
    if (kernel.isEmpty()) {
      LOG.atInfo().log(
          "the kernel reports no device events here; the agent looks for devices periodically");
    }
    return new DriverSigns(kernel, folders(host, more, onSign));
  }

  private static Optional<FolderEvents> folders(HostRoot host, List<Names> more, Runnable onSign) {
    try {
      var names =
          List.of(
              new Names(host.resolve("/dev"), "nvidia"),
              new Names(host.resolve(DRIVER_CONTAINER), ""),
              new Names(host.resolve(DRIVER_CONTAINER + "/dev"), "nvidia"));
      var all = Stream.concat(names.stream(), more.stream()).toList();
      return Optional.of(FolderEvents.of(all, onSign));
    } catch (IOException failure) {
      LOG.atWarn().log("device files cannot be watched: {}", failure.toString());
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    kernel.ifPresent(KernelEvents::close);
    folders.ifPresent(DriverSigns::close);
  }

  private static void close(FolderEvents folders) {
    try {
      folders.close();
    } catch (IOException _) {
      // It ends all the same.
    }
  }
}
