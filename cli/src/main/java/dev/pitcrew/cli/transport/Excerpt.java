package dev.pitcrew.cli.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// The end of a text, in whole lines: a line that is cut could hide what its first part was.
///
/// @param leftOut bytes before it
public record Excerpt(String text, long leftOut) {
  private static final int CHUNK = 16 * 1024;

  /// @param most bytes that are kept
  static Excerpt read(InputStream text, int most) throws IOException {
    var kept = new ByteArrayOutputStream();
    var chunk = new byte[CHUNK];
    long total = 0;
    for (int read = text.read(chunk); read >= 0; read = text.read(chunk)) {
      kept.write(chunk, 0, read);
      total += read;
      if (kept.size() > 2L * most) {
        // The byte before the last ones says whether a line begins with them.
        byte[] end = end(kept.toByteArray(), most + 1);
        kept.reset();
        kept.write(end);
      }
    }
    byte[] end = total > most ? wholeLines(end(kept.toByteArray(), most + 1)) : kept.toByteArray();
    return new Excerpt(new String(end, UTF_8), total - end.length);
  }

  private static byte[] end(byte[] bytes, int length) {
    return Arrays.copyOfRange(bytes, Math.max(0, bytes.length - length), bytes.length);
  }

  private static byte[] wholeLines(byte[] bytes) {
    int begin = 0;
    while (begin < bytes.length && bytes[begin] != '\n') {
      begin++;
    }
    return Arrays.copyOfRange(bytes, Math.min(begin + 1, bytes.length), bytes.length);
  }
}
