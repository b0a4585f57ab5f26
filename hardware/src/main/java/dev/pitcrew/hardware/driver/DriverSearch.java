package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds all files of a driver. It costs a few dozen folder listings, so it is done once per change
/// of the driver and not per container.
public final class DriverSearch {
  private static final List<String> OPEN_LIBRARIES =
      List.of(
          "libEGL.so",
          "libGL.so",
          "libGLESv1_CM.so",
          "libGLESv2.so",
          "libGLX.so",
          "libGLdispatch.so",
          "libOpenCL.so",
          "libOpenGL.so",
          "libnvidia-api.so",
          "libnvidia-egl-xcb.so",
          "libnvidia-egl-xlib.so");

  private static final List<String> BINARIES =
      List.of(
          "nvidia-smi",
          "nvidia-debugdump",
          "nvidia-persistenced",
          "nvidia-cuda-mps-control",
          "nvidia-cuda-mps-server",
          "nvidia-imex",
          "nvidia-imex-ctl");

  private static final List<String> RUN_FOLDERS = List.of("/run", "/var/run");

  private final RootFolder root;
  private final RootFolder host;
  private final LibrarySearch libraries;
  private final FileSearch files;

  private DriverSearch(DriverRoot root, RootFolder host) {
    this.root = new RootFolder(root.files());
    this.host = host;
    this.libraries = LibrarySearch.in(root.files());
    this.files = new FileSearch(root);
  }

  /// Finds what is there now.
  ///
  /// @param host has the running kernel's `/proc` and `/sys`
  /// @param loaded the version of the loaded driver, where it is known; else the libraries give it
  /// @return empty where no version is known or no library has it in its name
  public static Optional<DriverFiles> find(
      DriverRoot root, HostRoot host, Optional<String> loaded) {
    DriverSearch search = new DriverSearch(root, new RootFolder(host));
    return loaded
        .filter(LibrarySearch::isVersion)
        .or(search.libraries::driverVersion)
        .flatMap(search::files);
  }

  private Optional<DriverFiles> files(String version) {
    List<String> folders =
        libraries.find("lib*.so." + version).stream().map(RootFolder::parent).distinct().toList();
    if (folders.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new DriverFiles(
            version,
            folders,
            driverLibraries(version, folders),
            openLibraries(folders),
            new GraphicsSearch(libraries, files).find(version, folders),
            files.all(firmwareFolders(version), "gsp*.bin"),
            present(BINARIES.stream().map(files::binary)),
            sockets(),
            storage()));
  }

  private List<DriverLibrary> driverLibraries(String version, List<String> folders) {
    List<String> withVideo = withVideo(folders);
    return Stream.concat(
            libraries.findIn(withVideo, "*.so." + version).stream(),
            libraries.findIn(folders, "libnvidia-nvvm70.so.*").stream())
        .distinct()
        .map(this::library)
        .toList();
  }

  private List<DriverLibrary> openLibraries(List<String> folders) {
    return OPEN_LIBRARIES.stream()
        .flatMap(name -> libraries.findIn(folders, name).stream())
        .distinct()
        .map(this::library)
        .toList();
  }

  private DriverLibrary library(String path) {
    return new DriverLibrary(new DriverFile(path, path), LibraryLinks.of(root, path));
  }

  private static List<String> withVideo(List<String> folders) {
    List<String> all = new ArrayList<>(folders);
    folders.forEach(folder -> all.add(RootFolder.child(folder, "vdpau")));
    return all;
  }

  /// Where the kernel looks for firmware, in its order.
  private List<String> firmwareFolders(String version) {
    Optional<String> custom =
        host.smallText("/sys/module/firmware_class/parameters/path")
            .filter(path -> path.startsWith("/"));
    Optional<String> kernel =
        host.smallText("/proc/sys/kernel/osrelease").filter(name -> !name.contains("/"));
    return Stream.of(
            custom,
            kernel.map(name -> "/lib/firmware/updates/" + name),
            Optional.of("/lib/firmware/updates"),
            kernel.map(name -> "/lib/firmware/" + name),
            Optional.of("/lib/firmware"))
        .flatMap(Optional::stream)
        .map(folder -> folder + "/nvidia/" + version)
        .toList();
  }

  private List<DriverFile> sockets() {
    return present(
        Stream.of(
            files.first(RUN_FOLDERS, "nvidia-persistenced/socket"),
            files.first(RUN_FOLDERS, "nvidia-fabricmanager/socket"),
            files.first(List.of("/tmp"), "nvidia-mps")));
  }

  private List<DriverFile> storage() {
    return present(
        Stream.of(
            files.file("/run/udev").filter(_ -> root.isFolder("/run/udev")),
            files.first(List.of("/etc"), "cufile.json")));
  }

  private static List<DriverFile> present(Stream<Optional<DriverFile>> found) {
    return found.flatMap(Optional::stream).toList();
  }
}
