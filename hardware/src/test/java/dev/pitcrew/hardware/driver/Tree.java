package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Files in a folder of a test's own.
record Tree(Path folder) {
  Tree file(String path) throws IOException {
    return file(path, new byte[0]);
  }

  Tree text(String path, String text) throws IOException {
    return file(path, text.getBytes(StandardCharsets.UTF_8));
  }

  Tree file(String path, byte[] content) throws IOException {
    Files.createDirectories(at(path).getParent());
    Files.write(at(path), content);
    return this;
  }

  Tree program(String path) throws IOException {
    file(path);
    Files.setPosixFilePermissions(at(path), PosixFilePermissions.fromString("rwxr-xr-x"));
    return this;
  }

  Tree folder(String path) throws IOException {
    Files.createDirectories(at(path));
    return this;
  }

  Tree link(String path, String target) throws IOException {
    Files.createDirectories(at(path).getParent());
    Files.createSymbolicLink(at(path), Path.of(target));
    return this;
  }

  HostRoot root() {
    return new HostRoot(folder);
  }

  private Path at(String path) {
    return folder.resolve(path.substring(1));
  }
}
