package dev.pitcrew.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A file that does not fit a reader's head says why in its first lines.
class FileLengthTest {
  private static final int LIMIT = 300;
  private static final int LIMIT_OF_TESTS = 400;
  private static final int FIRST_LINES = 5;

  @Test
  void noSourceFileIsTooLongWithoutAReason() throws IOException {
    Path repository = Path.of("").toAbsolutePath().getParent();
    try (Stream<Path> files = Files.walk(repository)) {
      List<Path> sources = files.filter(FileLengthTest::isSource).toList();

      assertThat(sources).hasSizeGreaterThan(100);
      assertThat(sources).filteredOn(FileLengthTest::isTooLong).isEmpty();
    }
  }

  private static boolean isSource(Path file) {
    String path = file.toString();
    return path.endsWith(".java") && path.contains("/src/") && !path.contains("/target/");
  }

  private static boolean isTooLong(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      int limit = file.toString().contains("/src/test/") ? LIMIT_OF_TESTS : LIMIT;
      return lines.size() > limit
          && lines.stream()
              .limit(FIRST_LINES)
              .noneMatch(line -> line.startsWith("// Long because"));
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file, e);
    }
  }
}
