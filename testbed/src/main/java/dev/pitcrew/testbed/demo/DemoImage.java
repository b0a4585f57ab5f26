package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The archive with the image of operator and agent.
record DemoImage(Path archive) {
  private static final int MEBIBYTE = 1 << 20;

  /// @param place the archive, or the folder that `make image` writes it to
  /// @throws TestbedException if there is none, with what to do
  static DemoImage in(Path place) {
    if (Files.isRegularFile(place)) {
      return new DemoImage(place);
    }
    if (!Files.isDirectory(place)) {
      throw missing(place);
    }
    var pattern = "pitcrew-*-" + architecture() + ".tar";
    try (var archives = Files.newDirectoryStream(place, pattern)) {
      @Nullable Path newest = null;
      for (var archive : archives) {
        newest = newest == null || isNewer(archive, newest) ? archive : newest;
      }
      if (newest == null) {
        throw missing(place.resolve(pattern));
      }
      return new DemoImage(newest);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + place, e);
    }
  }

  private static boolean isNewer(Path archive, Path other) throws IOException {
    return Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(other)) > 0;
  }

  private static TestbedException missing(Path place) {
    return new TestbedException(
        "there is no image of operator and agent for the real node, no "
            + place
            + "; 'make image' builds it, --image names another place, and --simulated-only leaves"
            + " the real node out");
  }

  /// As Go names the processor.
  private static String architecture() {
    return switch (System.getProperty("os.arch", "")) {
      case "aarch64" -> "arm64";
      default -> "amd64";
    };
  }

  long sizeMiB() {
    try {
      return Files.size(archive) / MEBIBYTE;
    } catch (IOException e) {
      throw new UncheckedIOException("look at " + archive, e);
    }
  }
}
