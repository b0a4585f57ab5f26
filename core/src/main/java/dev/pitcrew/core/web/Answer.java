package dev.pitcrew.core.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// What one request gets.
public record Answer(int status, String contentType, Content content) {

  /// Writes the content while it is sent, so that a long page is never in memory as a whole.
  @FunctionalInterface
  public interface Content {
    void writeTo(OutputStream to) throws IOException;
  }

  /// A page that is short, or is there anyway.
  @SuppressWarnings("ArrayRecordComponent") // Never compared, and never shared after it was sent.
  record Whole(byte[] bytes) implements Content {
    @Override
    public void writeTo(OutputStream to) throws IOException {
      to.write(bytes);
    }
  }

  public Answer(int status, String contentType, byte[] body) {
    this(status, contentType, new Whole(body));
  }

  public static Answer text(int status, String text) {
    return new Answer(
        status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /// All of it at once.
  public byte[] body() {
    var all = new ByteArrayOutputStream();
    try {
      content.writeTo(all);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return all.toByteArray();
  }
}
