package dev.pitcrew.core.web;

import java.nio.charset.StandardCharsets;

/// What one request gets.
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never shared after it was sent.
public record Answer(int status, String contentType, byte[] body) {

  public static Answer text(int status, String text) {
    return new Answer(
        status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
