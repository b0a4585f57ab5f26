package dev.pitcrew.hardware.driver;

import java.util.List;

/// The files of a driver, as they lay below its root at one moment. No list has a path twice.
///
/// @param version such as `550.163.01`
/// @param libraryFolders the folders that hold libraries of that version
/// @param libraries those of that version, and the old NVVM
/// @param openLibraries the vendor-neutral ones (GLVND, OpenCL), which belong to the driver only
///   where someone says so
/// @param sockets of daemons that containers talk to
/// @param storage what GPUDirect Storage needs besides its device nodes
public record DriverFiles(
    String version,
    List<String> libraryFolders,
    List<DriverLibrary> libraries,
    List<DriverLibrary> openLibraries,
    Graphics graphics,
    List<DriverFile> firmware,
    List<DriverFile> binaries,
    List<DriverFile> sockets,
    List<DriverFile> storage) {

  public DriverFiles {
    libraryFolders = List.copyOf(libraryFolders);
    libraries = List.copyOf(libraries);
    openLibraries = List.copyOf(openLibraries);
    firmware = List.copyOf(firmware);
    binaries = List.copyOf(binaries);
    sockets = List.copyOf(sockets);
    storage = List.copyOf(storage);
  }

  /// What OpenGL, EGL, Vulkan and X.Org need besides the libraries.
  ///
  /// @param files libraries of their own, configuration files and tools
  public record Graphics(List<DriverFile> files, List<Link> links) {
    public Graphics {
      files = List.copyOf(files);
      links = List.copyOf(links);
    }
  }
}
