package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.NvmlPath;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverLifeTest {
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  @TempDir Path folder;

  @Test
  void withoutALibraryNothingOpens() {
    var host = new HostRoot(folder);

    assertThat(Gpus.open(new GpuSettings(host, host)).isFailedWith(NvmlError.LIBRARY_NOT_FOUND))
        .isTrue();
  }

  @Test
  void aDriverThatGoesAndComesIsOpenedAgain() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      node.unloadDriver();

      assertThat(gpus.inventory()).isInstanceOf(Answer.Failed.class);
    }
    assertThat(open(node).isFailedWith(NvmlError.DRIVER_NOT_LOADED)).isTrue();
    assertThat(open(node).reason())
        .isEqualTo("nvmlInit_v2 of %s: the driver is not loaded".formatted(library(node)));

    node.loadDriver();

    assertThat(OpenedGpus.inventory(node).gpus()).hasSize(2);
  }

  @Test
  void replacedLibrary_isMappedAgain() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    assertThat(OpenedGpus.inventory(node).gpus()).hasSize(2);
    var library = Path.of(library(node)).toRealPath();
    var copy = Files.copy(library, folder.resolve("copy"));
    Files.delete(library);
    assertThat(open(node).isFailedWith(NvmlError.LIBRARY_NOT_FOUND)).isTrue();

    Files.move(copy, library);

    assertThat(OpenedGpus.inventory(node).gpus()).hasSize(2);
    assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain(library.toString());
  }

  @Test
  void aDriverAmongTheAlternativesOfDebianIsOpened() throws IOException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    var library = Path.of(library(node));
    var current = Files.createDirectories(library.resolveSibling("nvidia/current"));
    Files.move(node.state(), current.resolve(node.state().getFileName()));
    Files.move(library, current.resolve(library.getFileName()));
    Files.createSymbolicLink(current.resolve("libnvidia-ml.so.1"), library.getFileName());

    assertThat(OpenedGpus.inventory(node).gpus()).hasSize(2);
  }

  @Test
  void aClosedDriverAnswersThatItIs() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    var gpus = OpenedGpus.of(node);
    gpus.close();

    assertThat(gpus.inventory().isFailedWith(NvmlError.UNINITIALIZED)).isTrue();
  }

  @Test
  void nodesInOneProcessAreApart() throws IOException {
    var one = SimulatedNode.create(folder.resolve("one"), SimulatedNodeOptions.of("t4"));
    var other =
        SimulatedNode.create(
            folder.resolve("other"), SimulatedNodeOptions.of("h100").withDriverRoot("/"));
    try (var gpusOfOne = OpenedGpus.of(one);
        var gpusOfOther = OpenedGpus.of(other)) {
      assertThat(OpenedGpus.value(gpusOfOne.gpu(0)).board().name()).isEqualTo("Tesla T4");
      assertThat(OpenedGpus.value(gpusOfOther.gpu(0)).board().name())
          .isEqualTo("NVIDIA H100 80GB HBM3");
    }
  }

  private static Answer<Gpus> open(SimulatedNode node) {
    return Gpus.open(OpenedGpus.settings(node, DEADLINE));
  }

  private static String library(SimulatedNode node) {
    return NvmlPath.in(new HostRoot(node.driverRoot()));
  }
}
