package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.validation.ValidationFacts.SpecificationFile;
import dev.pitcrew.core.text.YamlText;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.YAMLException;

/// Reads CDI specifications of NVIDIA's devices from any writer, and looks whether the host has all
/// that they name (CDI: `hostPath` of mounts, `hostPath` or `path` of device nodes, `path` of
/// hooks). A file that has not changed is not parsed again.
public final class SpecificationReader {
  private static final String VENDOR = "nvidia.com/";
  private static final long MOST_BYTES = 4 << 20;

  private final Path folder;
  private final HostRoot host;
  private final Map<Path, Parsed> known = new HashMap<>();

  /// @param folder such as `/var/run/cdi`
  public SpecificationReader(Path folder, HostRoot host) {
    this.folder = folder;
    this.host = host;
  }

  /// @param paths what it names on the host
  private record Content(String kind, Optional<String> problem, Set<String> paths) {}

  private record Parsed(FileTime time, long bytes, Content content) {}

  public List<SpecificationFile> read() {
    List<Path> files = files();
    known.keySet().retainAll(files);
    return files.stream().flatMap(file -> read(file).stream()).toList();
  }

  private List<Path> files() {
    try (var entries = Files.list(folder)) {
      return entries.filter(SpecificationReader::isSpecification).sorted().toList();
    } catch (IOException _) {
      return List.of();
    }
  }

  private static boolean isSpecification(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".json") || name.endsWith(".yaml");
  }

  private Optional<SpecificationFile> read(Path file) {
    try {
      Content content = content(file);
      List<String> missing = content.paths().stream().filter(path -> !host.exists(path)).toList();
      return Optional.of(new SpecificationFile(file.toString(), content.problem(), missing))
          .filter(_ -> content.kind().contains(VENDOR));
    } catch (IOException _) {
      // It has just gone.
      return Optional.empty();
    }
  }

  private Content content(Path file) throws IOException {
    FileTime time = Files.getLastModifiedTime(file);
    long bytes = Files.size(file);
    Parsed last = known.get(file);
    if (last != null && last.time().equals(time) && last.bytes() == bytes) {
      return last.content();
    }
    Content content = bytes > MOST_BYTES ? broken(file, "it is too long") : parse(file);
    known.put(file, new Parsed(time, bytes, content));
    return content;
  }

  private static Content parse(Path file) throws IOException {
    try {
      var root = YamlText.parse(Files.readString(file));
      return root instanceof Map<?, ?> map
          ? new Content(String.valueOf(map.get("kind")), Optional.empty(), paths(map))
          : broken(file, "it has no fields");
    } catch (YAMLException e) {
      return broken(file, "it is neither JSON nor YAML");
    }
  }

  /// Only its name can show whose it is.
  private static Content broken(Path file, String why) {
    String name = String.valueOf(file.getFileName());
    return new Content(name.contains("nvidia") ? VENDOR : "", Optional.of(why), Set.of());
  }

  private static Set<String> paths(Map<?, ?> root) {
    var paths = new TreeSet<String>();
    edits(root).forEach(edits -> collect(edits, paths));
    return paths;
  }

  private static Stream<Map<?, ?>> edits(Map<?, ?> root) {
    Stream<Map<?, ?>> devices = maps(root.get("devices"));
    return Stream.concat(Stream.<Map<?, ?>>of(root), devices)
        .flatMap(it -> map(it.get("containerEdits")));
  }

  private static void collect(Map<?, ?> edits, Set<String> paths) {
    maps(edits.get("mounts")).flatMap(it -> text(it.get("hostPath"))).forEach(paths::add);
    maps(edits.get("hooks")).flatMap(it -> text(it.get("path"))).forEach(paths::add);
    maps(edits.get("deviceNodes"))
        .flatMap(it -> text(it.containsKey("hostPath") ? it.get("hostPath") : it.get("path")))
        .forEach(paths::add);
  }

  private static Stream<Map<?, ?>> maps(@Nullable Object value) {
    return value instanceof List<?> list
        ? list.stream().flatMap(SpecificationReader::map)
        : Stream.empty();
  }

  private static Stream<Map<?, ?>> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? Stream.<Map<?, ?>>of(map) : Stream.empty();
  }

  private static Stream<String> text(@Nullable Object value) {
    return value instanceof String text && text.startsWith("/") ? Stream.of(text) : Stream.empty();
  }
}
