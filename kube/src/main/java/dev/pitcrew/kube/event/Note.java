package dev.pitcrew.kube.event;

import java.nio.charset.StandardCharsets;

/// The text of an Event, which the API server limits to 1024 bytes.
final class Note {

  private static final int LIMIT_BYTES = 1024;
  private static final String ELLIPSIS = "…";

  private Note() {}

  static String fitted(String text) {
    if (bytes(text) <= LIMIT_BYTES) {
      return text;
    }
    int end = Math.min(text.length(), LIMIT_BYTES);
    while (bytes(text.substring(0, end)) > LIMIT_BYTES - bytes(ELLIPSIS)) {
      end = text.offsetByCodePoints(end, -1);
    }
    return text.substring(0, end) + ELLIPSIS;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
