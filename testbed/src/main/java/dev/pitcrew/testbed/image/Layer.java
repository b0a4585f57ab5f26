package dev.pitcrew.testbed.image;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// A part of an image that is stored, sent and kept separately.
///
/// @param title what it holds, for users who look at the image's history
/// @param contents absolute path in the image to what lies there: a file, folder or symbolic link
///   of this machine
public record Layer(String title, SortedMap<String, Path> contents) {

  /// A layer without contents.
  public static Layer titled(String title) {
    return new Layer(title, new TreeMap<>());
  }

  /// With the file `source` at `target`; it is executable there if it is here.
  public Layer withFile(String target, Path source) {
    try {
      return with(Map.of(target, source.toRealPath()));
    } catch (IOException e) {
      throw new UncheckedIOException("find " + source, e);
    }
  }

  /// With everything under `folder` at `target`; symbolic links stay links.
  public Layer withTree(String target, Path folder) {
    return withTree(target, folder, _ -> true);
  }

  /// With what is wanted of everything under `folder` at `target`, by its path in the image.
  public Layer withTree(String target, Path folder, Predicate<String> isWanted) {
    try (var tree = Files.walk(folder)) {
      var all = tree.collect(Collectors.toMap(path -> place(target, folder, path), p -> p));
      all.keySet().removeIf(isWanted.negate());
      return with(all);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + folder, e);
    }
  }

  /// Writes it as a tar archive and closes `out`. The same contents give the same bytes.
  public void writeTo(OutputStream out) throws IOException {
    LayerTar.write(this, out);
  }

  private Layer with(Map<String, Path> more) {
    var all = new TreeMap<>(contents);
    all.putAll(more);
    return new Layer(title, all);
  }

  private static String place(String target, Path folder, Path path) {
    return Path.of(target).resolve(folder.relativize(path).toString()).normalize().toString();
  }
}
