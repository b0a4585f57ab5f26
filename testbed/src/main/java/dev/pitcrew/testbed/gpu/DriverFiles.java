package dev.pitcrew.testbed.gpu;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// The files that a driver's installation leaves below its root: the simulated libnvidia-ml,
/// libcuda and programs, and the others empty, for programs that list them.
record DriverFiles(NodeFolder folder, String root, String version) {
  /// Where Debian's and Ubuntu's packages put libraries.
  static final String LIBRARIES =
      "/usr/lib/"
          + (System.getProperty("os.arch", "").equals("aarch64") ? "aarch64" : "x86_64")
          + "-linux-gnu";

  // The name under which programs load each library; some have none but the full one.
  private static final Map<String, String> SONAMES =
      Map.of(
          "libcuda", "libcuda.so.1",
          "libnvidia-ml", "libnvidia-ml.so.1",
          "libnvidia-ptxjitcompiler", "libnvidia-ptxjitcompiler.so.1",
          "libnvcuvid", "libnvcuvid.so.1",
          "libnvidia-encode", "libnvidia-encode.so.1",
          "libnvidia-cfg", "libnvidia-cfg.so.1",
          "libcudadebugger", "libcudadebugger.so.1",
          "libnvidia-opencl", "libnvidia-opencl.so.1");
  private static final List<String> FULL_NAMES =
      List.of("libnvidia-gpucomp", "libnvidia-glcore", "libnvidia-eglcore", "libnvidia-nvvm");
  private static final List<String> SIMULATED_PROGRAMS =
      List.of("nvidia-smi", "nvidia-cuda-mps-control");
  private static final List<String> PROGRAMS =
      List.of("nvidia-debugdump", "nvidia-persistenced", "nvidia-cuda-mps-server");
  private static final List<String> FIRMWARE = List.of("gsp_ga10x.bin", "gsp_tu10x.bin");

  /// The folder of the libraries, on the host.
  String libraries() {
    return path(LIBRARIES);
  }

  void write(NativeBuild simulator) {
    SONAMES.keySet().forEach(this::library);
    FULL_NAMES.forEach(name -> folder.text(versioned(name), ""));
    replace("libnvidia-ml", simulator.library(version));
    replace("libcuda", simulator.cuda());
    SIMULATED_PROGRAMS.forEach(
        name -> folder.copy(simulator.folder().resolve(name), path("/usr/bin/" + name)));
    PROGRAMS.forEach(program -> folder.executable(path("/usr/bin/" + program)));
    FIRMWARE.forEach(file -> folder.text(path("/lib/firmware/nvidia/" + version + "/" + file), ""));
    folder.text(path("/etc/vulkan/icd.d/nvidia_icd.json"), "{}\n");
    folder.text(path("/usr/share/glvnd/egl_vendor.d/10_nvidia.json"), "{}\n");
  }

  private void replace(String name, Path simulated) {
    folder.delete(versioned(name));
    folder.copy(simulated, versioned(name));
  }

  private void library(String name) {
    folder.text(versioned(name), "");
    var soname = SONAMES.getOrDefault(name, name);
    folder.link(libraries() + "/" + soname, name + ".so." + version);
    folder.link(libraries() + "/" + name + ".so", soname);
  }

  private String versioned(String name) {
    return libraries() + "/" + name + ".so." + version;
  }

  private String path(String below) {
    return root.equals("/") ? below : root + below;
  }
}
