package dev.pitcrew.testbed.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What an image holds and how its container starts.
///
/// @param name with a registry and a tag, such as `testbed.local/probe:1`
/// @param user as in a Dockerfile; empty for root
/// @param contents absolute path in the image to what lies there: a file, folder or symbolic link
///   of this machine
public record Image(
    String name,
    List<String> entrypoint,
    SequencedMap<String, String> environment,
    String user,
    SortedMap<String, Path> contents) {

  /// An image without contents.
  public static Image named(String name) {
    return new Image(name, List.of(), new LinkedHashMap<>(), "", new TreeMap<>());
  }

  public Image withEntrypoint(String... words) {
    return new Image(name, List.of(words), environment, user, contents);
  }

  public Image withEnvironment(String variable, String value) {
    var more = new LinkedHashMap<>(environment);
    more.put(variable, value);
    return new Image(name, entrypoint, more, user, contents);
  }

  public Image withUser(String newUser) {
    return new Image(name, entrypoint, environment, newUser, contents);
  }

  /// With the file `source` at `target`; it is executable there if it is here.
  public Image withFile(String target, Path source) {
    try {
      return with(Map.of(target, source.toRealPath()));
    } catch (IOException e) {
      throw new UncheckedIOException("find " + source, e);
    }
  }

  /// With everything under `folder` at `target`; symbolic links stay links.
  public Image withTree(String target, Path folder) {
    try (var tree = Files.walk(folder)) {
      return with(tree.collect(Collectors.toMap(path -> place(target, folder, path), p -> p)));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + folder, e);
    }
  }

  /// Writes the archive; the same image gives the same bytes.
  public Path writeTo(Path archive) {
    try {
      ImageArchive.write(this, archive);
      return archive;
    } catch (IOException e) {
      throw new UncheckedIOException("write the image " + name + " to " + archive, e);
    }
  }

  /// The variables in the form in which an image lists them.
  List<String> environmentLines() {
    var lines = new ArrayList<String>();
    environment.forEach((variable, value) -> lines.add(variable + "=" + value));
    return lines;
  }

  private Image with(Map<String, Path> more) {
    var all = new TreeMap<>(contents);
    all.putAll(more);
    return new Image(name, entrypoint, environment, user, all);
  }

  private static String place(String target, Path folder, Path path) {
    return Path.of(target).resolve(folder.relativize(path).toString()).normalize().toString();
  }
}
