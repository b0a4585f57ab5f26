package dev.pitcrew.agent.cluster;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Makes values that a device or a file gave fit for the schema of GPUNode: a single one that does
/// not fit would make the API server refuse the whole report.
public final class SchemaLimits {
  // Partly less than the schema allows: the largest report must fit into one object of etcd.
  public static final int NAME = 64;
  public static final int PRODUCT = 128;
  public static final int PRODUCTS = 512;
  public static final int CONFIG = 253;
  public static final int HOST = 256;
  public static final int EVIDENCE = 256;

  /// In UTF-8, which is how the API server counts the note of an Event.
  private static final int NOTE_BYTES = 1024;

  public static final int MESSAGE = 4096;

  /// Of one check: there may be a dozen.
  public static final int CHECK = 1024;

  public static final int GPUS = 64;
  public static final int INSTANCES = 16;
  public static final int PODS = 64;
  public static final int EVIDENCES = 16;

  private static final Pattern ADDRESS =
      Pattern.compile("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");

  private SchemaLimits() {}

  /// A text without what no person can read, cut where it is too long.
  public static String text(String value, int longest) {
    return value
        .codePoints()
        .filter(SchemaLimits::isReadable)
        .limit(longest)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString()
        .strip();
  }

  /// A text that fits into an Event.
  public static String note(String value) {
    String text = text(value, NOTE_BYTES);
    while (text.getBytes(StandardCharsets.UTF_8).length > NOTE_BYTES) {
      text = text.substring(0, text.offsetByCodePoints(text.length(), -1));
    }
    return text;
  }

  /// A text of a device, which NVML writes in ASCII.
  public static String name(String value, int longest) {
    return text(value.replaceAll("[^ -~]", ""), longest);
  }

  /// A name that the object does not have where nothing is left of it.
  public static @Nullable String nameOrNull(String value, int longest) {
    String name = name(value, longest);
    return name.isEmpty() ? null : name;
  }

  /// A number that counts something; one that cannot be is omitted.
  public static @Nullable Integer countOrNull(int value) {
    return value < 0 ? null : value;
  }

  /// Whether a text is a PCI address as the kernel writes it.
  public static boolean isAddress(String text) {
    return ADDRESS.matcher(text).matches();
  }

  private static boolean isReadable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.PRIVATE_USE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
