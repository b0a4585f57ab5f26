package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverSearchTest {
  private static final String VERSION = "550.163.01";
  private static final String LIBRARIES = "/usr/lib/x86_64-linux-gnu";
  private static final String CUDA = LIBRARIES + "/libcuda.so." + VERSION;

  @TempDir Path folder = Path.of("");
  @TempDir Path host = Path.of("");

  private Tree driver() {
    return new Tree(folder);
  }

  private DriverFiles found() {
    return find(Optional.of(VERSION)).orElseThrow();
  }

  private Optional<DriverFiles> find(Optional<String> loaded) {
    DriverRoot root =
        DriverRoot.at(
            new HostRoot(folder), "/run/nvidia/driver", new HostRoot(host), Optional.empty());
    return DriverSearch.find(root, new HostRoot(host), loaded);
  }

  private static List<String> paths(List<DriverFile> files) {
    return files.stream().map(DriverFile::path).toList();
  }

  private List<String> libraries() {
    return found().libraries().stream().map(library -> library.file().path()).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/libcuda.so.550.163.01",
        "/usr/lib64/libcuda.so.550.163.01",
        "/usr/lib/aarch64-linux-gnu/libcuda.so.550.163.01",
        "/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.550.163.01",
        "/lib64/libcuda.so.550.163.01"
      })
  void librariesAreFoundInTheUsualFolders(String library) throws IOException {
    driver().file(library);
    assertThat(libraries()).containsExactly(library);
    assertThat(found().libraryFolders()).containsExactly(RootFolder.parent(library));
  }

  @Test
  void firstFolderWithALibraryWins() throws IOException {
    driver().file(CUDA).file("/usr/lib64/libcuda.so." + VERSION);
    assertThat(libraries()).containsExactly("/usr/lib64/libcuda.so." + VERSION);
  }

  @Test
  void librariesOfAnotherVersionStayOut() throws IOException {
    driver().file(CUDA).file(LIBRARIES + "/libcuda.so.535.1.1").file(LIBRARIES + "/libfoo.so.1");
    assertThat(libraries()).containsExactly(CUDA);
  }

  @Test
  void videoAndOldCompilerLibrariesBelongToTheDriver() throws IOException {
    String vdpau = LIBRARIES + "/vdpau/libvdpau_nvidia.so." + VERSION;
    String nvvm = LIBRARIES + "/libnvidia-nvvm70.so.4";
    driver().file(CUDA).file(vdpau).file(nvvm);
    assertThat(libraries()).containsExactlyInAnyOrder(CUDA, vdpau, nvvm);
  }

  @Test
  void unknownVersion_isThatOfTheLibrary() throws IOException {
    driver().file(CUDA);
    assertThat(find(Optional.empty()).orElseThrow().version()).isEqualTo(VERSION);
    assertThat(find(Optional.of("../../etc")).orElseThrow().version()).isEqualTo(VERSION);
  }

  @Test
  void withoutLibrariesThereIsNoDriver() {
    assertThat(find(Optional.of(VERSION))).isEmpty();
    assertThat(find(Optional.empty())).isEmpty();
  }

  @Test
  void absoluteLinksStayInTheDriverRoot() throws IOException {
    driver().file("/nv/libcuda.so." + VERSION).link("/usr/lib64", "/nv");
    assertThat(libraries()).containsExactly("/nv/libcuda.so." + VERSION);
  }

  @Test
  void programBehindAnAbsoluteLinkIsMountedFromWhereItLies() throws IOException {
    driver().file(CUDA).program("/opt/nvidia-smi").link("/usr/bin/nvidia-smi", "/opt/nvidia-smi");
    assertThat(found().binaries())
        .containsExactly(new DriverFile("/usr/bin/nvidia-smi", "/opt/nvidia-smi"));
  }

  @Test
  void programBehindARelativeLinkKeepsItsPath() throws IOException {
    driver().file(CUDA).program("/opt/smi").link("/usr/bin/nvidia-smi", "../../opt/smi");
    assertThat(found().binaries())
        .containsExactly(new DriverFile("/usr/bin/nvidia-smi", "/usr/bin/nvidia-smi"));
  }

  @Test
  void fileThatCannotBeExecutedIsNoProgram() throws IOException {
    driver().file(CUDA).file("/usr/bin/nvidia-smi").program("/bin/nvidia-imex");
    assertThat(paths(found().binaries())).containsExactly("/bin/nvidia-imex");
  }

  @Test
  void firmwareIsFoundWhereTheKernelLooks() throws IOException {
    new Tree(host)
        .text("/proc/sys/kernel/osrelease", "6.8.0-generic\n")
        .text("/sys/module/firmware_class/parameters/path", "/opt/firmware\n");
    String gsp = "/nvidia/" + VERSION + "/gsp_ga10x.bin";
    driver()
        .file(CUDA)
        .file("/opt/firmware" + gsp)
        .file("/lib/firmware/6.8.0-generic" + gsp)
        .file("/lib/firmware" + gsp)
        .file("/lib/firmware/nvidia/535.1.1/gsp_ga10x.bin")
        .file("/lib/firmware/nvidia/" + VERSION + "/README");
    assertThat(paths(found().firmware()))
        .containsExactly(
            "/opt/firmware" + gsp, "/lib/firmware/6.8.0-generic" + gsp, "/lib/firmware" + gsp);
  }

  @Test
  void socketsAreFoundOnceEvenIfRunHasTwoNames() throws IOException {
    driver()
        .file(CUDA)
        .file("/run/nvidia-persistenced/socket")
        .file("/var/run/nvidia-persistenced/socket")
        .file("/var/run/nvidia-fabricmanager/socket")
        .folder("/tmp/nvidia-mps");
    assertThat(paths(found().sockets()))
        .containsExactly("/run/nvidia-persistenced/socket", "/var/run/nvidia-fabricmanager/socket");
  }

  @Test
  void linksAreThoseTakenForGrantedAndThoseOfTheLinker() throws IOException {
    String ml = LIBRARIES + "/libnvidia-ml.so." + VERSION;
    driver()
        .file(CUDA)
        .file(LIBRARIES + "/libGLX_nvidia.so." + VERSION)
        .file(LIBRARIES + "/libnvidia-opticalflow.so." + VERSION)
        .file(ml, SharedObjectTest.sharedObject("libnvidia-ml.so.1"))
        .link(LIBRARIES + "/libnvidia-ml.so.1", "libnvidia-ml.so." + VERSION)
        .link(LIBRARIES + "/libnvidia-ml.so", "libnvidia-ml.so.1");
    assertThat(found().libraries().stream().flatMap(library -> library.links().stream()))
        .containsExactlyInAnyOrder(
            new Link("libcuda.so.1", LIBRARIES + "/libcuda.so"),
            new Link("libGLX_nvidia.so." + VERSION, LIBRARIES + "/libGLX_indirect.so.0"),
            new Link("libnvidia-opticalflow.so.1", LIBRARIES + "/libnvidia-opticalflow.so"),
            new Link("libnvidia-ml.so." + VERSION, LIBRARIES + "/libnvidia-ml.so.1"),
            new Link("libnvidia-ml.so.1", LIBRARIES + "/libnvidia-ml.so"));
  }

  @Test
  void openLibrariesAreKeptApart() throws IOException {
    driver().file(CUDA).file(LIBRARIES + "/libGL.so");
    assertThat(libraries()).containsExactly(CUDA);
    assertThat(found().openLibraries()).hasSize(1);
  }

  @Test
  void storageNeedsTheDeviceDatabaseAndItsConfiguration() throws IOException {
    driver().file(CUDA).folder("/run/udev").file("/etc/cufile.json");
    assertThat(paths(found().storage())).containsExactly("/run/udev", "/etc/cufile.json");
  }
}
