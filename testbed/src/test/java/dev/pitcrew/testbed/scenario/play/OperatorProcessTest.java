package dev.pitcrew.testbed.scenario.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorProcessTest {
  @TempDir Path folder;

  @Test
  void stoppingEndsTheChildrenToo() throws IOException {
    var before = ProcessHandle.current().descendants().count();
    var operator =
        OperatorProcess.start(
            List.of("sh", "-c", "sleep 60; true"), Map.of(), folder.resolve("log"));
    operator.requireRunning();
    operator.close();
    assertThat(ProcessHandle.current().descendants().count()).isEqualTo(before);
  }

  @Test
  void anOperatorThatEndsEarlyIsReportedWithTheEndOfItsLog() throws IOException {
    var log = folder.resolve("log");
    try (var operator =
        OperatorProcess.start(
            List.of("sh", "-c", "echo \"no $WHAT\"; exit 3"), Map.of("WHAT", "cluster"), log)) {
      assertThatThrownBy(() -> operator.awaitReady(URI.create("http://127.0.0.1:1/readyz")))
          .hasMessageContaining("status 3")
          .hasMessageContaining("no cluster");
    }
    assertThat(Files.readString(log)).isEqualTo("no cluster\n");
  }
}
