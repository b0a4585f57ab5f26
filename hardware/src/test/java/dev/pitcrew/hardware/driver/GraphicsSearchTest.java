package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GraphicsSearchTest {
  private static final String VERSION = "550.163.01";
  private static final String LIBRARIES = "/usr/lib/x86_64-linux-gnu";

  @TempDir Path folder = Path.of("");
  @TempDir Path host = Path.of("");

  private Tree driver = new Tree(Path.of(""));

  @BeforeEach
  void aDriver() throws IOException {
    driver = new Tree(folder).file(LIBRARIES + "/libcuda.so." + VERSION);
  }

  private DriverFiles.Graphics found() {
    DriverRoot root =
        DriverRoot.at(
            new HostRoot(folder), "/run/nvidia/driver", new HostRoot(host), Optional.empty());
    return DriverSearch.find(root, new HostRoot(host), Optional.of(VERSION))
        .orElseThrow()
        .graphics();
  }

  @Test
  void platformLibrariesHaveVersionsOfTheirOwn() throws IOException {
    driver
        .file(LIBRARIES + "/libnvidia-egl-gbm.so.1.1.1")
        .link(LIBRARIES + "/libnvidia-egl-gbm.so.1", "libnvidia-egl-gbm.so.1.1.1");
    assertThat(found().files())
        .extracting(DriverFile::path)
        .containsExactly(LIBRARIES + "/libnvidia-egl-gbm.so.1.1.1");
  }

  @Test
  void configurationIsMountedWhereContainersLook() throws IOException {
    driver
        .file("/etc/glvnd/egl_vendor.d/10_nvidia.json")
        .file("/usr/share/vulkan/icd.d/nvidia_icd.json")
        .file("/vulkan/icd.d/nvidia_layers.json")
        .file("/etc/OpenCL/vendors/nvidia.icd");
    assertThat(found().files())
        .containsExactlyInAnyOrder(
            new DriverFile(
                "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                "/etc/glvnd/egl_vendor.d/10_nvidia.json"),
            new DriverFile(
                "/etc/vulkan/icd.d/nvidia_icd.json", "/usr/share/vulkan/icd.d/nvidia_icd.json"),
            new DriverFile(
                "/etc/vulkan/icd.d/nvidia_layers.json", "/vulkan/icd.d/nvidia_layers.json"),
            new DriverFile("/etc/OpenCL/vendors/nvidia.icd", "/etc/OpenCL/vendors/nvidia.icd"));
  }

  @Test
  void firstFolderOfTheXServerWins() throws IOException {
    String glx = "/libglxserver_nvidia.so." + VERSION;
    driver
        .file("/usr/lib/xorg/modules/extensions" + glx)
        .file(LIBRARIES + "/nvidia/xorg" + glx)
        .file("/usr/lib/xorg/modules/drivers/nvidia_drv.so");
    assertThat(found().files())
        .extracting(DriverFile::path)
        .containsExactly(
            "/usr/lib/xorg/modules/drivers/nvidia_drv.so", LIBRARIES + "/nvidia/xorg" + glx);
    assertThat(found().links())
        .containsExactly(
            new Link(
                "libglxserver_nvidia.so." + VERSION,
                LIBRARIES + "/nvidia/xorg/libglxserver_nvidia.so"));
  }

  @Test
  void allocatorIsLinkedForGbmAndNotMountedAgain() throws IOException {
    driver
        .file(LIBRARIES + "/libnvidia-allocator.so." + VERSION)
        .file(LIBRARIES + "/libnvidia-vulkan-producer.so." + VERSION);
    assertThat(found().links())
        .containsExactly(
            new Link("../libnvidia-allocator.so.1", LIBRARIES + "/gbm/nvidia-drm_gbm.so"),
            new Link(
                "libnvidia-vulkan-producer.so." + VERSION,
                LIBRARIES + "/libnvidia-vulkan-producer.so"));
    assertThat(found().files())
        .extracting(DriverFile::path)
        .containsExactly(LIBRARIES + "/libnvidia-vulkan-producer.so." + VERSION);
  }
}
