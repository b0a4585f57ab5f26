package dev.pitcrew.cli.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/// Text that is read line by line, of which no more than one line is in memory.
final class Lines {
  private static final int CHUNK = 16 * 1024;

  /// No line that the plugin looks for is as long; the rest of a longer one is dropped.
  private static final int LONGEST = 16 * 1024;

  private Lines() {}

  /// @param most bytes that are read
  /// @throws RefusedException where there are more
  static void read(InputStream text, long most, Consumer<String> each) throws IOException {
    var line = new ByteArrayOutputStream();
    var chunk = new byte[CHUNK];
    long total = 0;
    for (int read = text.read(chunk); read >= 0; read = text.read(chunk)) {
      total += read;
      if (total > most) {
        throw new RefusedException(
            new Refusal(
                Refusal.Kind.FAILED, "the answer is larger than %d MiB".formatted(most >> 20)));
      }
      for (int at = 0; at < read; at++) {
        if (chunk[at] == '\n') {
          each.accept(line.toString(UTF_8));
          line.reset();
        } else if (line.size() < LONGEST) {
          line.write(chunk[at]);
        }
      }
    }
    if (line.size() > 0) {
      each.accept(line.toString(UTF_8));
    }
  }
}
