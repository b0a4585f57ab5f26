package dev.pitcrew.agent.host;

import dev.pitcrew.agent.host.Mounts.Mount;
import dev.pitcrew.agent.labels.plan.OsRelease;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What a host shows of who made it and of what is set up on it.
///
/// @param release the identification of its distribution
/// @param marks the files and folders of [KnownHost] that are there
/// @param configuration what its container runtime reads first
/// @param programs where ours may lie, the best first
/// @param handlers of its container runtimes, those for GPUs
/// @param toolkit the programs of NVIDIA's container toolkit
/// @param driver empty where there is none, and where it is a driver container's
public record HostSigns(
    OsRelease release,
    Set<String> marks,
    Place configuration,
    List<Place> programs,
    List<RuntimeHandler> handlers,
    List<String> toolkit,
    Optional<DriverOnHost> driver) {
  /// Where containerd looks by default.
  private static final String USUAL_CONFIGURATION = "/etc/containerd/config.toml";

  /// Where packages, images and system extensions put them.
  private static final List<String> TOOLKIT =
      List.of(
          "/usr/bin/nvidia-container-runtime",
          "/usr/bin/nvidia-ctk",
          "/usr/local/bin/nvidia-container-runtime",
          "/usr/local/bin/nvidia-ctk");

  /// All that a driver may be below but for the root of a driver container.
  private static final List<String> DRIVERS = List.of("/", "/home/kubernetes/bin/nvidia");

  public HostSigns {
    marks = Set.copyOf(marks);
    programs = List.copyOf(programs);
    handlers = List.copyOf(handlers);
    toolkit = List.copyOf(toolkit);
  }

  /// @param mount the file system on which it lies; empty where that is unknown
  record Place(String path, Optional<Mount> mount) {
    static Place in(Mounts mounts, String path) {
      return new Place(path, mounts.under(path));
    }

    boolean isReadOnly() {
      return mount.filter(Mount::isReadOnly).isPresent();
    }

    boolean forbidsPrograms() {
      return mount.filter(Mount::forbidsPrograms).isPresent();
    }

    /// Whether the file system is in memory and is not the root itself, which whole hosts have
    /// there that are booted over the network.
    boolean isMadeAtBoot() {
      return mount.filter(it -> it.isInMemory() && !it.point().equals("/")).isPresent();
    }

    String mountPoint() {
      return mount.map(Mount::point).orElse("/");
    }
  }

  /// @param root below which its files are
  record DriverOnHost(String root, String version) {}

  public static HostSigns of(HostRoot host) {
    Mounts mounts = Mounts.of(host);
    RuntimeFiles files = RuntimeFiles.of(host);
    return new HostSigns(
        release(host),
        KnownHost.marks().filter(host::exists).collect(Collectors.toUnmodifiableSet()),
        Place.in(mounts, files.main().stream().findFirst().orElse(USUAL_CONFIGURATION)),
        ProgramFolders.candidates(host).stream().map(path -> Place.in(mounts, path)).toList(),
        files.all().stream()
            .flatMap(file -> RuntimeHandler.in(host, file).stream())
            .filter(RuntimeHandler::isForGpus)
            .toList(),
        TOOLKIT.stream().filter(host::exists).toList(),
        DRIVERS.stream().flatMap(root -> driver(host, root).stream()).findFirst());
  }

  private static OsRelease release(HostRoot host) {
    return OsRelease.of(
        host.text("/etc/os-release").or(() -> host.text("/usr/lib/os-release")).orElse(""));
  }

  private static Optional<DriverOnHost> driver(HostRoot host, String root) {
    return DriverRoot.below(host, root, Optional.empty())
        .version()
        .map(version -> new DriverOnHost(root, version));
  }
}
