package dev.pitcrew.testbed.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverContainerTest {
  @TempDir private Path folder;

  @Test
  void theImageHasTheDriversFilesAndWhatTheStartupProbeCalls() throws IOException {
    var container = new DriverContainer("595.91.07", "13.2");

    var image = container.imageIn(folder, "nvcr.io/nvidia/driver:595.91.07-ubuntu22.04");

    assertThat(files(image))
        .contains(
            "usr/bin/nvidia-driver",
            "usr/bin/nvidia-smi",
            "usr/lib/%s-linux-gnu/libcuda.so.595.91.07".formatted(processor()),
            "nvml-sim.state",
            "bin/sh",
            "bin/mkdir",
            "bin/cat",
            "bin/mv",
            "bin/rm")
        .anyMatch(file -> file.endsWith("/libc.so.6"));
  }

  private static String processor() {
    return System.getProperty("os.arch", "").equals("aarch64") ? "aarch64" : "x86_64";
  }

  private List<String> files(Path image) throws IOException {
    var unpacked = Files.createDirectory(folder.resolve("unpacked"));
    var unpacking =
        CommandRun.of(List.of("tar", "-xf", image.toString(), "-C", unpacked.toString()), folder);
    assertThat(unpacking.succeeded()).as(unpacking.lastLines()).isTrue();
    try (var blobs = Files.list(unpacked.resolve("blobs/sha256"))) {
      // Those that are not an archive are JSON.
      return blobs
          .map(blob -> CommandRun.of(List.of("tar", "-tf", blob.toString()), folder))
          .filter(CommandRun::succeeded)
          .flatMap(it -> it.output().lines())
          .toList();
    }
  }
}
