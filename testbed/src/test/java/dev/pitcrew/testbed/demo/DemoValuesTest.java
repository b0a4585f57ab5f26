package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoValuesTest {
  @TempDir private Path folder;

  @Test
  void oneFileIsLaidOverAnotherAsHelmDoesIt() throws IOException {
    var file = folder.resolve("values.yaml");
    Files.writeString(
        file, "driver: {version: '580.95.05', env: [a, b]}\nmig: {strategy: single}\n");

    var values = DemoValues.read(file);
    var laidOver =
        values.with(Map.of("driver", Map.of("env", "c"), "cdi", Map.of("enabled", true)));

    assertThat(values.driverVersion()).contains("580.95.05");
    assertThat(laidOver.all())
        .isEqualTo(
            Map.of(
                "driver", Map.of("version", "580.95.05", "env", "c"),
                "mig", Map.of("strategy", "single"),
                "cdi", Map.of("enabled", true)));
  }
}
