package dev.pitcrew.testbed.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;

/// What an image holds and how its container starts.
///
/// @param name with a registry and a tag, such as `testbed.local/probe:1`
/// @param user as in a Dockerfile; empty for root
/// @param labels what is said about it; a label is an annotation of its manifest too
/// @param layers the first at the bottom
public record Image(
    String name,
    List<String> entrypoint,
    SequencedMap<String, String> environment,
    String user,
    SortedMap<String, String> labels,
    List<Layer> layers) {

  public Image {
    layers = List.copyOf(layers);
  }

  /// An image without contents.
  public static Image named(String name) {
    return new Image(name, List.of(), new LinkedHashMap<>(), "", new TreeMap<>(), List.of());
  }

  public Image withEntrypoint(String... words) {
    return new Image(name, List.of(words), environment, user, labels, layers);
  }

  public Image withEnvironment(String variable, String value) {
    var more = new LinkedHashMap<>(environment);
    more.put(variable, value);
    return new Image(name, entrypoint, more, user, labels, layers);
  }

  public Image withUser(String newUser) {
    return new Image(name, entrypoint, environment, newUser, labels, layers);
  }

  public Image withLabel(String key, String value) {
    var more = new TreeMap<>(labels);
    more.put(key, value);
    return new Image(name, entrypoint, environment, user, more, layers);
  }

  public Image withLayer(Layer layer) {
    var more = new ArrayList<>(layers);
    more.add(layer);
    return new Image(name, entrypoint, environment, user, labels, more);
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

  /// The processor of this machine, which is that of its images, as Go names it.
  public static String architecture() {
    return System.getProperty("os.arch", "").equals("aarch64") ? "arm64" : "amd64";
  }

  /// The variables in the form in which an image lists them.
  List<String> environmentLines() {
    var lines = new ArrayList<String>();
    environment.forEach((variable, value) -> lines.add(variable + "=" + value));
    return lines;
  }
}
