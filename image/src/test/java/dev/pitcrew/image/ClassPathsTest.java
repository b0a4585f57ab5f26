package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassPathsTest {
  @Test
  void sharedJar_isThereOnce() {
    var paths =
        ClassPaths.of(
            List.of(Path.of("operator/o-1.jar"), Path.of("operator/lib/core-1.jar")),
            List.of(Path.of("agent/a-1.jar"), Path.of("agent/lib/core-1.jar")));

    assertThat(paths.places().keySet())
        .containsExactly("agent/a-1.jar", "operator/o-1.jar", "shared/core-1.jar");
  }

  @Test
  void anotherVersionIsAnotherJar() {
    var paths = ClassPaths.of(List.of(Path.of("x-1.jar")), List.of(Path.of("x-2.jar")));

    assertThat(paths.places().keySet()).containsExactly("agent/x-2.jar", "operator/x-1.jar");
  }
}
