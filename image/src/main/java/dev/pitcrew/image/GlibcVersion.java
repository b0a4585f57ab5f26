package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A version of the C library, as the names of symbol versions have it: `GLIBC_2.17`.
record GlibcVersion(int major, int minor) implements Comparable<GlibcVersion> {
  // "  0x0010:   Name: GLIBC_2.14  Flags: none  Version: 6"
  private static final Pattern NEED = Pattern.compile("Name: GLIBC_(\\d+)\\.(\\d+)");

  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  /// The newest version that a program or library below `root` needs, with its file; empty where
  /// all are linked statically.
  static Optional<Need> newestBelow(Path root) {
    try (var files = Files.walk(root)) {
      return files
          .filter(GlibcVersion::isElf)
          .sorted()
          .flatMap(file ->
              newest(versions(file, root))
                  .map(version -> new Need(root.relativize(file), version))
                  .stream())
          .max(Comparator.comparing(Need::version));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + root, e);
    }
  }

  /// @param file below the folder that was looked through
  record Need(Path file, GlibcVersion version) {}

  /// The newest that `readelf --version-info` names.
  static Optional<GlibcVersion> newest(String output) {
    return NEED.matcher(output)
        .results()
        .map(need ->
            new GlibcVersion(Integer.parseInt(need.group(1)), Integer.parseInt(need.group(2))))
        .max(Comparator.naturalOrder());
  }

  private static String versions(Path file, Path root) {
    var run = CommandRun.of(List.of("readelf", "--wide", "--version-info", file.toString()), root);
    if (!run.succeeded()) {
      throw new ImageException(
          "readelf (package binutils) cannot determine which glibc %s needs: %s"
              .formatted(file, run.lastLines()));
    }
    return run.output();
  }

  private static boolean isElf(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (var in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(ELF.length), ELF);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  @Override
  public int compareTo(GlibcVersion other) {
    return Comparator.comparingInt(GlibcVersion::major)
        .thenComparingInt(GlibcVersion::minor)
        .compare(this, other);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
