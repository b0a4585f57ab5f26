package dev.pitcrew.agent.cdi;

import dev.pitcrew.hardware.driver.DriverFile;
import dev.pitcrew.hardware.driver.DriverFiles;
import dev.pitcrew.hardware.driver.DriverLibrary;
import dev.pitcrew.hardware.driver.Link;
import java.util.List;
import java.util.stream.Stream;

/// What every container gets of the driver, whichever GPU it has.
record DriverEdits(EditSource source, DriverFiles driver) {

  /// For users' containers. The order of the hooks is that in which they work: links first, then
  /// the linker's cache, which follows them.
  ContainerEdits forUsers() {
    return source
        .links(driver.graphics().links())
        .and(source.files(driver.graphics().files()))
        .and(libraries())
        .and(source.hook(HookName.DISABLE_DEVICE_NODE_MODIFICATION, List.of()))
        .and(source.hook(HookName.UPDATE_APPLICATION_PROFILE, List.of()))
        .and(programs());
  }

  /// For those who manage the node, and may change its device nodes.
  ContainerEdits forManagement() {
    return libraries().and(programs());
  }

  private ContainerEdits libraries() {
    List<DriverLibrary> libraries = wanted();
    List<DriverFile> files = libraries.stream().map(DriverLibrary::file).toList();
    List<Link> links = libraries.stream().flatMap(library -> library.links().stream()).toList();
    List<String> folders =
        files.stream()
            .map(DriverFile::folder)
            .distinct()
            .flatMap(folder -> Stream.of("--folder", folder))
            .toList();
    String version = "--host-driver-version=" + driver.version();
    return ContainerEdits.ofEnv(
            "NVIDIA_CTK_LIBCUDA_DIR=" + String.join(":", driver.libraryFolders()))
        .and(source.files(files))
        .and(source.links(links))
        .and(source.hook(HookName.ENABLE_CUDA_COMPAT, List.of(version)))
        .and(source.hook(HookName.UPDATE_LDCACHE, folders));
  }

  private List<DriverLibrary> wanted() {
    boolean open = source.options().features().contains(Feature.EXPLICIT_DRIVER_LIBRARIES);
    return Stream.concat(
            driver.libraries().stream(),
            open ? driver.openLibraries().stream() : Stream.<DriverLibrary>empty())
        .distinct()
        .toList();
  }

  private ContainerEdits programs() {
    boolean noSockets = source.options().features().contains(Feature.NO_SOCKETS);
    return source
        .sockets(noSockets ? List.of() : driver.sockets())
        .and(source.files(driver.firmware()))
        .and(source.files(driver.binaries()));
  }
}
