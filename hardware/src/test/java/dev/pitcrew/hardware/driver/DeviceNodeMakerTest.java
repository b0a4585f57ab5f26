package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.DeviceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceNodeMakerTest {
  private static final String DRIVER = "/run/nvidia/driver";
  private static final String LOADED =
      """
      Character devices:
        1 mem
      195 nvidia
      195 nvidiactl
      237 nvidia-caps
      510 nvidia-uvm

      Block devices:
      511 nvidia-uvm
      """;

  @TempDir Path folder = Path.of("");

  @BeforeEach
  void driverContainerWithNodesOfItsGpus() throws IOException {
    assumeTrue(
        "root".equals(System.getProperty("user.name")), "device nodes are made by root only");
    Files.createDirectories(at(DRIVER + "/dev"));
    DeviceFile.make(at(DRIVER + "/dev/nvidiactl"), 195, 255, 0666);
    DeviceFile.make(at(DRIVER + "/dev/nvidia0"), 195, 0, 0666);
    list(LOADED);
  }

  @Test
  void missingNodeOfADriverContainer_isMadeInItsOwnFolder() {
    assertThat(maker().makeNodes(Set.of(0, 1), Set.of(12, 13))).isEmpty();

    assertThat(node("/dev/nvidia-uvm")).contains(new DeviceFile(510, 0, 0666, 0));
    assertThat(node("/dev/nvidia-uvm-tools")).contains(new DeviceFile(510, 1, 0666, 0));
    assertThat(node("/dev/nvidia-modeset")).contains(new DeviceFile(195, 254, 0666, 0));
    assertThat(node("/dev/nvidia1")).contains(new DeviceFile(195, 1, 0666, 0));
    assertThat(node("/dev/nvidia-caps/nvidia-cap1")).contains(new DeviceFile(237, 1, 0400, 0));
    assertThat(node("/dev/nvidia-caps/nvidia-cap2")).contains(new DeviceFile(237, 2, 0444, 0));
    assertThat(node("/dev/nvidia-caps/nvidia-cap13")).contains(new DeviceFile(237, 13, 0444, 0));
    assertThat(at("/dev")).doesNotExist();
  }

  @Test
  void nodesOfAnEarlierLoadAreReplacedAndOthersAreLeftAsTheyAre() throws IOException {
    maker().makeNodes(Set.of(0), Set.of());
    Object gpu = Files.getAttribute(at(DRIVER + "/dev/nvidia0"), "unix:ino");

    list(LOADED.replace("510 ", "509 "));
    assertThat(maker().makeNodes(Set.of(0), Set.of())).isEmpty();

    assertThat(node("/dev/nvidia-uvm")).contains(new DeviceFile(509, 0, 0666, 0));
    assertThat(Files.getAttribute(at(DRIVER + "/dev/nvidia0"), "unix:ino")).isEqualTo(gpu);
  }

  @Test
  void aModuleThatIsNotLoadedIsNamedAndTheRestIsMade() throws IOException {
    list("Character devices:\n195 nvidia-frontend\n");

    assertThat(maker().makeNodes(Set.of(0), Set.of(12)))
        .containsExactly(
            "/dev/nvidia-uvm: /proc/devices has no nvidia-uvm, so its kernel module is not loaded",
            "/dev/nvidia-uvm-tools: /proc/devices has no nvidia-uvm, so its kernel module is not loaded",
            "/dev/nvidia-caps/nvidia-cap12: /proc/devices has no nvidia-caps, so its kernel module is not loaded");
    assertThat(node("/dev/nvidia-modeset")).isPresent();
  }

  @Test
  void aFolderThatCannotBeWrittenIsNamed() throws IOException {
    Files.writeString(at(DRIVER + "/dev/nvidia-caps"), "");

    assertThat(maker().makeNodes(Set.of(), Set.of()))
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line).contains("/dev/nvidia-caps/nvidia-cap", "cannot be made"));
  }

  @Test
  void linksNameEachNodeByItsNumbersAndStaleOnesGo() throws IOException {
    maker().makeNodes(Set.of(0), Set.of());
    assertThat(maker().linkNodes()).isEmpty();
    assertThat(at("/dev/char/510:0")).isSymbolicLink();
    assertThat(new HostRoot(folder).resolve("/dev/char/195:255"))
        .isEqualTo(at(DRIVER + "/dev/nvidiactl"));
    Files.createSymbolicLink(at("/dev/char/1:3"), Path.of("../null"));

    list(LOADED.replace("510 ", "509 "));
    maker().makeNodes(Set.of(0), Set.of());
    assertThat(maker().linkNodes()).isEmpty();

    assertThat(at("/dev/char/510:0")).doesNotExist();
    assertThat(new HostRoot(folder).resolve("/dev/char/509:0"))
        .isEqualTo(at(DRIVER + "/dev/nvidia-uvm"));
    assertThat(Files.readSymbolicLink(at("/dev/char/1:3"))).hasToString("../null");
  }

  /// A number that an IMEX channel had is another node's after the next load.
  @Test
  void everyNodeOfAContainerHasALinkToItsOwnNumbers() throws IOException {
    maker().makeNodes(Set.of(0, 1), Set.of(12, 13));
    Files.createDirectories(at(DRIVER + "/dev/nvidia-caps-imex-channels"));
    DeviceFile.make(at(DRIVER + "/dev/nvidia-caps-imex-channels/channel0"), 501, 0, 0666);
    DeviceFile.make(at(DRIVER + "/dev/gdrdrv"), 502, 0, 0666);
    assertThat(maker().linkNodes()).isEmpty();
    assertAllLinked(12);

    Files.delete(at(DRIVER + "/dev/nvidia-caps-imex-channels/channel0"));
    DeviceFile.make(at(DRIVER + "/dev/nvidia-caps-imex-channels/channel0"), 502, 0, 0666);
    Files.delete(at(DRIVER + "/dev/gdrdrv"));
    DeviceFile.make(at(DRIVER + "/dev/gdrdrv"), 501, 0, 0666);
    assertThat(maker().linkNodes()).isEmpty();
    assertAllLinked(12);
  }

  private void assertAllLinked(int count) throws IOException {
    var host = new HostRoot(folder);
    var nodes = DeviceNodeSearch.find(new HostRoot(at(DRIVER)), host).nodes();
    assertThat(nodes).hasSize(count);
    for (DeviceNode node : nodes) {
      assertThat(host.resolve("/dev/char/%d:%d".formatted(node.major(), node.minor())))
          .isEqualTo(at(DRIVER + node.path()));
    }
  }

  @Test
  void linksOfTheHostsOwnNodesAreAsUdevWritesThem() throws IOException {
    Files.createDirectories(at("/dev"));
    var host = new HostRoot(folder);
    var maker = new DeviceNodeMaker(DriverRoot.below(host, "/", Optional.empty()), host);
    maker.makeNodes(Set.of(), Set.of());
    maker.linkNodes();

    assertThat(Files.readSymbolicLink(at("/dev/char/510:1"))).hasToString("../nvidia-uvm-tools");
    assertThat(Files.readSymbolicLink(at("/dev/char/237:2")))
        .hasToString("../nvidia-caps/nvidia-cap2");
  }

  @Test
  void theHostHasLinksToTheNodesOfADriverContainer() throws IOException {
    Files.createDirectories(at("/dev"));
    Files.writeString(at("/dev/nvidia0"), "of the host");
    maker().makeNodes(Set.of(0), Set.of(12));

    assertThat(maker().linkIntoHost()).isEmpty();

    assertThat(at("/dev/nvidiactl")).isSymbolicLink();
    assertThat(new HostRoot(folder).resolve("/dev/nvidia-uvm"))
        .isEqualTo(at(DRIVER + "/dev/nvidia-uvm"));
    assertThat(new HostRoot(folder).resolve("/dev/nvidia-caps/nvidia-cap12"))
        .isEqualTo(at(DRIVER + "/dev/nvidia-caps/nvidia-cap12"));
    assertThat(at("/dev/nvidia0")).isRegularFile();
  }

  @Test
  void linksInTheHostGoWithTheirNodesAndWithTheAgent() throws IOException {
    maker().makeNodes(Set.of(0), Set.of(12));
    maker().linkIntoHost();
    Files.createSymbolicLink(at("/dev/nvidia5"), Path.of("/mnt/other/dev/nvidia5"));
    Files.createSymbolicLink(at("/dev/stdin"), Path.of("/proc/self/fd/0"));

    Files.delete(at(DRIVER + "/dev/nvidia-caps/nvidia-cap12"));
    maker().linkIntoHost();

    assertThat(at("/dev/nvidia-caps/nvidia-cap12")).doesNotExist();
    assertThat(Files.isSymbolicLink(at("/dev/nvidia5"))).isFalse();
    assertThat(at("/dev/nvidia0")).isSymbolicLink();

    maker().unlinkFromHost();

    assertThat(Files.isSymbolicLink(at("/dev/nvidia0"))).isFalse();
    assertThat(Files.isSymbolicLink(at("/dev/stdin"))).isTrue();
    assertThat(at(DRIVER + "/dev/nvidia0")).exists();
  }

  private DeviceNodeMaker maker() {
    var host = new HostRoot(folder);
    return new DeviceNodeMaker(DriverRoot.below(host, DRIVER, Optional.empty()), host);
  }

  private void list(String devices) throws IOException {
    Files.createDirectories(at("/proc"));
    Files.writeString(at("/proc/devices"), devices);
  }

  private Optional<DeviceFile> node(String path) {
    return DeviceFile.at(at(DRIVER + path));
  }

  private Path at(String hostPath) {
    return folder.resolve(hostPath.substring(1));
  }
}
