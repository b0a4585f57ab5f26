package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceNodeSearchTest {
  @TempDir Path folder = Path.of("");

  @Test
  void plainFilesAndFoldersAreNoDeviceNodes() throws IOException {
    Tree tree = new Tree(folder).file("/dev/nvidia0").folder("/dev/nvidia-caps");
    assertThat(DeviceNodeSearch.find(tree.root(), tree.root()).nodes()).isEmpty();
  }

  @Test
  void nodesOfGpusAndTheirDisplaysAreFound() throws Exception {
    Tree tree = new Tree(folder);
    tree.folder("/dev/dri")
        .folder("/dev/nvidia-caps")
        .folder("/sys/devices/pci0000:3a/0000:3B:00.0/drm/card1")
        .folder("/sys/devices/pci0000:3a/0000:3B:00.0/drm/renderD129")
        .link("/sys/bus/pci/devices/0000:3B:00.0", "../../../devices/pci0000:3a/0000:3B:00.0")
        .link("/dev/dri/by-path/pci-0000:3b:00.0-card", "../card1")
        .link("/dev/dri/by-path/pci-0000:3b:00.0-other", "../card1");
    assumeTrue(
        mknod("-m 660 dev/nvidia3 c 195 3", "-m 444 dev/nvidia-caps/nvidia-cap300 c 234 300")
            && mknod("-m 660 dev/dri/card1 c 226 1", "-m 666 dev/other c 1 3"),
        "device nodes are made by root only");

    DeviceNodes found = DeviceNodeSearch.find(tree.root(), tree.root());

    assertThat(found.nodes())
        .containsExactly(
            new DeviceNode("/dev/dri/card1", 226, 1, 0660, 0),
            new DeviceNode("/dev/nvidia-caps/nvidia-cap300", 234, 300, 0444, 0),
            new DeviceNode("/dev/nvidia3", 195, 3, 0660, 0));
    assertThat(found.displayNodesOf("0000:3b:00.0"))
        .containsExactly(new DeviceNode("/dev/dri/card1", 226, 1, 0660, 0));
    assertThat(found.displayLinks())
        .containsExactly(new Link("../card1", "/dev/dri/by-path/pci-0000:3b:00.0-card"));
  }

  private boolean mknod(String... nodes) throws IOException, InterruptedException {
    String script = "mknod " + String.join(" && mknod ", nodes);
    return new ProcessBuilder("sh", "-c", script).directory(folder.toFile()).start().waitFor() == 0;
  }
}
