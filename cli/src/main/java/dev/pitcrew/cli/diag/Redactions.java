package dev.pitcrew.cli.diag;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/// What was replaced in a bundle: how often, by file and kind, never the value.
final class Redactions {
  /// What a value was taken for.
  enum Kind {
    PRIVATE_KEY("private key"),
    TOKEN("token"),
    AUTHORIZATION("authorization"),
    URL_CREDENTIALS("credentials in an address"),
    NAMED_SECRET("value with the name of a secret"),
    ENVIRONMENT("environment variable"),
    OPAQUE("long random text"),
    BINARY("binary data"),
    SECRET_OBJECT("Secret"),
    LAST_APPLIED("last applied configuration"),
    MANAGED_FIELDS("managed fields");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }

    /// What stands in the place of the value.
    String mark() {
      return MARK + words + "]";
    }
  }

  /// How each mark begins, by which a text that is redacted twice is counted once.
  static final String MARK = "[redacted: ";

  private final Map<String, Map<Kind, Integer>> counts = new TreeMap<>();

  void add(String file, Map<Kind, Integer> replaced) {
    if (!replaced.isEmpty()) {
      counts.put(file, new EnumMap<>(replaced));
    }
  }

  int total() {
    return counts.values().stream()
        .flatMap(it -> it.values().stream())
        .mapToInt(Integer::intValue)
        .sum();
  }

  /// By kind, over all files.
  Map<Kind, Integer> byKind() {
    var all = new EnumMap<Kind, Integer>(Kind.class);
    counts
        .values()
        .forEach(it -> it.forEach((kind, count) -> all.merge(kind, count, Integer::sum)));
    return all;
  }

  /// The file `redactions.txt`.
  String list() {
    var text = new StringBuilder();
    text.append("Replaced in this bundle, by file. Values are nowhere in it.\n\n");
    counts.forEach((file, kinds) ->
        kinds.forEach(
            (kind, count) -> text.append("%6d  %-34s %s%n".formatted(count, kind.words(), file))));
    text.append(
        """

        Not in it at all: Secrets, values of environment variables whose names are not known to be
        harmless, annotations with the last applied configuration, managed fields.
        A password without a name beside it, and a key in hexadecimal digits, look like any other
        text: read the files before you give them to others.
        """);
    return text.toString();
  }
}
