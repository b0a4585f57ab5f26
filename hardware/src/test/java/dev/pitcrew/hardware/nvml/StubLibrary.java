package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A library of a few lines of C, for what the simulated one never does.
public final class StubLibrary {
  private static final String ALWAYS_THERE =
      """
      #include <string.h>
      int nvmlInit(void) { return 0; }
      """;
  private static final String ITS_END = "int nvmlShutdown(void) { return 0; }\n";

  private StubLibrary() {}

  /// Opens a library with `functions` besides initialisation by its oldest name.
  public static NvmlLibrary open(Path folder, String functions)
      throws IOException, InterruptedException {
    return NvmlLibrary.open(build(folder, functions)).toOptional().orElseThrow();
  }

  /// The path of a library with `functions` besides initialisation by its oldest name.
  public static String build(Path folder, String functions)
      throws IOException, InterruptedException {
    var end = functions.contains("int nvmlShutdown(") ? "" : ITS_END;
    var source = Files.writeString(folder.resolve("stub.c"), ALWAYS_THERE + end + functions);
    var library = folder.resolve("libnvidia-ml.so.1");
    var compiler =
        new ProcessBuilder(
                List.of("gcc", "-shared", "-fPIC", "-o", library.toString(), source.toString()))
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    return library.toString();
  }
}
