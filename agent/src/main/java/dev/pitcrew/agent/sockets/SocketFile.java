package dev.pitcrew.agent.sockets;

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

/// The identity of a socket file: another process, or the same one restarted, makes another one
/// under the same name. The time is part of it because inode numbers are reused.
public record SocketFile(Object key, FileTime made) {

  /// Empty where there is no file.
  public static Optional<SocketFile> at(Path path) {
    try {
      BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
      return Optional.of(
          new SocketFile(
              Objects.requireNonNullElse(file.fileKey(), path), file.lastModifiedTime()));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// Whether a process listens there, even one that is too busy to accept; the file of a killed
  /// process is only a file.
  public static boolean isListenedTo(Path path) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
