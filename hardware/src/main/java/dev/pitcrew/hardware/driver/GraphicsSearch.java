package dev.pitcrew.hardware.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds what OpenGL, EGL, Vulkan and X.Org need besides the driver's libraries.
final class GraphicsSearch {
  private static final List<String> CONFIG_FOLDERS =
      List.of("/etc", "/usr/local/share", "/usr/share");

  /// Some installers leave Vulkan's files at the top of the driver root.
  private static final List<String> VULKAN_FOLDERS =
      List.of("/etc", "/usr/local/share", "/usr/share", "/");

  /// Containers look for these in `/usr/share`, wherever the driver keeps them.
  private static final List<String> SHARED_CONFIGS =
      List.of(
          "glvnd/egl_vendor.d/10_nvidia.json",
          "egl/egl_external_platform.d/15_nvidia_gbm.json",
          "egl/egl_external_platform.d/10_nvidia_wayland.json",
          "egl/egl_external_platform.d/09_nvidia_wayland2.json",
          "egl/egl_external_platform.d/20_nvidia_xcb.json",
          "egl/egl_external_platform.d/20_nvidia_xlib.json",
          "nvidia/nvoptix.bin",
          "X11/xorg.conf.d/10-nvidia.conf",
          "X11/xorg.conf.d/nvidia-drm-outputclass.conf");

  private static final List<String> VULKAN_CONFIGS =
      List.of(
          "vulkan/icd.d/nvidia_icd.json",
          "vulkan/icd.d/nvidia_layers.json",
          "vulkan/implicit_layer.d/nvidia_layers.json",
          "vulkan/icd.d/nvidia_icd.x86_64.json",
          "vulkan/icd.d/nvidia_icd.aarch64.json");

  private static final List<String> PLATFORM_LIBRARIES =
      List.of(
          "libnvidia-egl-gbm.so.*.*",
          "libnvidia-egl-wayland.so.*.*",
          "libnvidia-egl-wayland2.so.*.*",
          "libnvidia-egl-xcb.so.*.*",
          "libnvidia-egl-xlib.so.*.*");

  private static final List<String> MODULE_FOLDERS =
      List.of(
          "modules/drivers",
          "modules/extensions",
          "modules/updates/drivers",
          "modules/updates/extensions");

  private static final List<String> XORG_FOLDERS =
      List.of("/usr/lib/xorg", "/usr/lib64/xorg", "/usr/X11R6/lib", "/usr/X11R6/lib64");

  private static final String PRODUCER = "libnvidia-vulkan-producer.so";
  private static final String GLX_SERVER = "libglxserver_nvidia.so";

  private final LibrarySearch libraries;
  private final FileSearch files;

  GraphicsSearch(LibrarySearch libraries, FileSearch files) {
    this.libraries = libraries;
    this.files = files;
  }

  DriverFiles.Graphics find(String version, List<String> libraryFolders) {
    List<String> producers = libraries.find(PRODUCER + "." + version);
    Optional<DriverFile> glxServer = xorg(libraryFolders, GLX_SERVER + "." + version);
    List<DriverFile> found = new ArrayList<>();
    PLATFORM_LIBRARIES.stream()
        .flatMap(name -> libraries.find(name).stream())
        .distinct()
        .forEach(path -> found.add(new DriverFile(path, path)));
    producers.forEach(path -> found.add(new DriverFile(path, path)));
    xorg(libraryFolders, "nvidia_drv.so").ifPresent(found::add);
    glxServer.ifPresent(found::add);
    SHARED_CONFIGS.forEach(
        name -> config("/usr/share", CONFIG_FOLDERS, name).ifPresent(found::add));
    config("/etc", CONFIG_FOLDERS, "OpenCL/vendors/nvidia.icd").ifPresent(found::add);
    VULKAN_CONFIGS.forEach(name -> config("/etc", VULKAN_FOLDERS, name).ifPresent(found::add));
    files.binary("nvidia-xconfig").ifPresent(found::add);
    return new DriverFiles.Graphics(found, links(version, producers, glxServer));
  }

  private List<Link> links(String version, List<String> producers, Optional<DriverFile> glxServer) {
    Stream<Link> allocator =
        libraries.find("libnvidia-allocator.so." + version).stream()
            .map(RootFolder::parent)
            .map(folder -> RootFolder.child(folder, "gbm/nvidia-drm_gbm.so"))
            .map(path -> new Link("../libnvidia-allocator.so.1", path));
    Stream<Link> producer = producers.stream().map(path -> unversioned(path, PRODUCER));
    Stream<Link> server =
        glxServer.stream().map(library -> unversioned(library.path(), GLX_SERVER));
    return Stream.of(allocator, producer, server).flatMap(links -> links).toList();
  }

  private static Link unversioned(String library, String name) {
    return new Link(RootFolder.name(library), RootFolder.child(RootFolder.parent(library), name));
  }

  private Optional<DriverFile> xorg(List<String> libraryFolders, String name) {
    Stream<String> besideLibraries =
        libraryFolders.stream()
            .flatMap(folder ->
                Stream.concat(
                    Stream.of(folder + "/nvidia/xorg"),
                    MODULE_FOLDERS.stream().map(modules -> folder + "/xorg/" + modules)));
    Stream<String> usual =
        XORG_FOLDERS.stream()
            .flatMap(folder -> MODULE_FOLDERS.stream().map(modules -> folder + "/" + modules));
    return files.first(Stream.concat(besideLibraries, usual).toList(), name);
  }

  /// The file where the driver has it, under the path where containers look for it.
  private Optional<DriverFile> config(String place, List<String> folders, String name) {
    return files
        .first(folders, name)
        .map(found -> new DriverFile(RootFolder.child(place, name), found.source()));
  }
}
