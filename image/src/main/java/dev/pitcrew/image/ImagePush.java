package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Pushes the images of a version, one a processor, and an index over them. Layers are compressed
/// on the way, with the same bytes from the same version of crane.
///
/// @param crane the program; it has the credentials of `docker login` and `crane auth login`
/// @param isPlainHttp speak HTTP with a registry that is not on this machine
record ImagePush(Path crane, Registry registry, boolean isPlainHttp) {

  /// The archives of a version in a folder, by the processor that they are for.
  static SortedMap<String, Path> archives(Path folder, String version) {
    var archives = new TreeMap<String, Path>();
    for (var processor : List.of("amd64", "arm64")) {
      var archive = folder.resolve("pitcrew-%s-%s.tar".formatted(version, processor));
      if (Files.exists(archive)) {
        archives.put(processor, archive);
      }
    }
    return archives;
  }

  /// Returns the reference of the index, with its digest.
  String push(String version, SortedMap<String, Path> archives) {
    var index = new ArrayList<>(List.of("index", "append", "--tag", registry.image(version)));
    archives.forEach((processor, archive) -> {
      var tag = registry.image(version + "-" + processor);
      run("push", archive.toString(), tag);
      index.addAll(List.of("--manifest", tag));
    });
    run(index.toArray(String[]::new));
    return registry.image(version) + "@" + run("digest", registry.image(version)).strip();
  }

  /// crane writes progress to standard error, and the answer to standard output: both are here.
  private String run(String... words) {
    var command = new ArrayList<>(List.of(crane.toString()));
    if (isPlainHttp) {
      command.add("--insecure");
    }
    command.addAll(List.of(words));
    var run = CommandRun.of(command, workingFolder());
    if (!run.succeeded()) {
      throw new ImageException("crane %s: %s".formatted(String.join(" ", words), run.lastLines()));
    }
    return run.output();
  }

  private static Path workingFolder() {
    try {
      return Path.of("").toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("find the working folder", e);
    }
  }
}
