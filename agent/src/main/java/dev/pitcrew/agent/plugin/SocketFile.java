package dev.pitcrew.agent.plugin;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;
import java.util.Optional;

/// The identity of a socket file: another process, or the same one started anew, makes another one
/// under the same name. The time is part of it because inode numbers are used again.
record SocketFile(Object key, FileTime made) {

  /// Empty where there is no file.
  static Optional<SocketFile> at(Path path) {
    try {
      BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
      return Optional.of(
          new SocketFile(
              Objects.requireNonNullElse(file.fileKey(), path), file.lastModifiedTime()));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Whether somebody listens there; the file of a killed process is only a file.
  static boolean answers(Path path) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException _) {
      return false;
    }
  }
}
