package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The requests of one user, read as they come: a look at a log of gigabytes costs only what is new
/// since the last look. Not for several threads.
public final class AuditTail {
  /// Longer than any event, or a line would never be read to its end.
  private static final int BLOCK_BYTES = 1 << 20;

  private final Path path;
  private final String marker;
  private final Map<String, Request> byId = new LinkedHashMap<>();
  private long position;

  /// Follows `log` from its beginning.
  ///
  /// @param user such as `system:serviceaccount:<namespace>:<name>`
  public AuditTail(AuditLog log, String user) {
    this.path = log.path();
    this.marker = "\"username\":\"" + user + "\"";
  }

  /// All requests so far, each once, in the order in which they were answered.
  public List<Request> requests() {
    try (var file = new RandomAccessFile(path.toFile(), "r")) {
      file.seek(position);
      var block = new byte[BLOCK_BYTES];
      while (take(block, file.read(block)) > 0) {
        file.seek(position);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("read the audit log " + path, e);
    }
    return List.copyOf(byId.values());
  }

  /// Reads the whole lines of a block.
  ///
  /// @return how many bytes they were
  private int take(byte[] block, int length) {
    var end = length;
    while (end > 0 && block[end - 1] != '\n') {
      end--;
    }
    if (end > 0) {
      new String(block, 0, end, StandardCharsets.UTF_8).lines().forEach(this::take);
      position += end;
    }
    return end;
  }

  private void take(String line) {
    if (line.contains(marker)) {
      AuditLog.parse(line)
          .ifPresent(
              event -> byId.putIfAbsent(event.path("auditID").asText(), AuditLog.request(event)));
    }
  }
}
