package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// Writes the files of a node below its folder, under the paths that the node knows them by.
record NodeFolder(Path root) {

  Path at(String hostPath) {
    return root.resolve("." + hostPath).normalize();
  }

  Path folder(String hostPath) {
    try {
      return Files.createDirectories(at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void text(String hostPath, String content) {
    bytes(hostPath, content.getBytes(StandardCharsets.UTF_8));
  }

  void bytes(String hostPath, byte[] content) {
    try {
      var file = at(hostPath);
      Files.createDirectories(file.resolveSibling("."));
      Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void executable(String hostPath) {
    text(hostPath, "#!/bin/sh\nexit 0\n");
    if (!at(hostPath).toFile().setExecutable(true, false)) {
      throw new UncheckedIOException(new IOException("cannot make executable: " + hostPath));
    }
  }

  void link(String hostPath, String target) {
    try {
      var link = at(hostPath);
      Files.createDirectories(link.resolveSibling("."));
      Files.deleteIfExists(link);
      Files.createSymbolicLink(link, Path.of(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void copy(Path source, String hostPath) {
    try {
      Files.createDirectories(at(hostPath).resolveSibling("."));
      Files.copy(source, at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete(String hostPath) {
    try {
      Files.deleteIfExists(at(hostPath));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
