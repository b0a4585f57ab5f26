package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/// Text in the library's buffers, read without trust: it may lack its NUL or be no text at all.
final class Texts {
  private static final Pattern UUID = Pattern.compile("(GPU|MIG)-[0-9A-Za-z/-]{1,90}");
  private static final Pattern VERSION = Pattern.compile("[0-9]+(\\.[0-9A-Za-z_-]+){1,3}");
  private static final Pattern CONTROL_CHARACTERS = Pattern.compile("\\p{Cntrl}");

  private Texts() {}

  /// Up to the first NUL, or all of the buffer where there is none.
  static String read(MemorySegment buffer) {
    byte[] bytes = buffer.toArray(JAVA_BYTE);
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /// Text for people; what would disturb a line of a log is left out.
  static Optional<String> name(MemorySegment buffer) {
    var name = CONTROL_CHARACTERS.matcher(read(buffer)).replaceAll("").strip();
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }

  /// A UUID ends in paths, labels and environment variables: no other characters may be in it.
  static Optional<String> uuid(MemorySegment buffer) {
    return Optional.of(read(buffer)).filter(text -> UUID.matcher(text).matches());
  }

  /// The driver's version ends in names of files.
  static Optional<String> version(MemorySegment buffer) {
    return Optional.of(read(buffer)).filter(text -> VERSION.matcher(text).matches());
  }
}
