package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// Files of the host that other programs use too. Behind a link, what it points to is read and
/// written; the link stays.
record HostFiles(HostRoot host) {
  private static final Set<PosixFilePermission> OF_OWNER =
      PosixFilePermissions.fromString("rwx------");

  /// Empty where there is none.
  ///
  /// @throws IOException also where it is no UTF-8, which could not be written back as it was
  Optional<String> read(String path) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(host.resolve(path));
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// As a whole: a process that dies meanwhile leaves the old file or the new one. A new file is
  /// for its owner only, since it may repeat what others are not to read.
  void carryOut(Edit edit) throws IOException {
    Path file = host.resolve(edit.path());
    if (edit.after().isPresent()) {
      WholeFile.replaceLike(file, edit.after().get());
    } else {
      Files.deleteIfExists(file);
    }
  }

  /// Removes the permissions of all users but the owner from a file.
  void narrow(String path) throws IOException {
    Path file = host.resolve(path);
    Set<PosixFilePermission> now = Files.getPosixFilePermissions(file);
    var narrow = EnumSet.copyOf(OF_OWNER);
    narrow.retainAll(now);
    if (!narrow.equals(now)) {
      Files.setPosixFilePermissions(file, narrow);
    }
  }
}
