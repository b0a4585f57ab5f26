package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The rendered chart, kept beside it so that a review sees what a change of a template installs.
/// `-Dgolden.update=true` writes it again.
class GoldenTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/default.yaml");

  @Test
  void defaultsRenderAsRecorded() throws IOException {
    var manifests = PitcrewChart.shared().manifests("{}");
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(GOLDEN, manifests);
    }

    assertThat(manifests)
        .as("run the tests with -Dgolden.update=true if the change is meant")
        .isEqualTo(Files.readString(GOLDEN));
  }

  @Test
  void strictLintFindsNothing() {
    var lint = PitcrewChart.SOURCE.lint();

    assertThat(lint.isClean()).as(String.join("\n", lint.messages())).isTrue();
  }
}
