package dev.pitcrew.operator.web;

import java.nio.charset.StandardCharsets;

/// What one request gets.
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never shared after it was sent.
record Answer(int status, String contentType, byte[] body) {

  static Answer text(int status, String text) {
    return new Answer(
        status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
