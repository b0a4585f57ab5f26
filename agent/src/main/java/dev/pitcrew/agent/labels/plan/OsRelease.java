package dev.pitcrew.agent.labels.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The identification of a distribution: os-release(5).
public record OsRelease(Map<String, String> entries) {
  private static final Pattern LINE = Pattern.compile("^(?<key>\\w+)=(?<value>.+)");

  public OsRelease {
    entries = Map.copyOf(entries);
  }

  public static OsRelease of(String text) {
    var entries = new HashMap<String, String>();
    for (Matcher line : text.lines().map(LINE::matcher).filter(Matcher::find).toList()) {
      entries.put(line.group("key"), unquoted(line.group("value")));
    }
    return new OsRelease(entries);
  }

  /// The value of a key, an empty text where it is not there.
  public String value(String key) {
    return entries.getOrDefault(key, "");
  }

  /// `ID`, such as `ubuntu`.
  public String id() {
    return value("ID");
  }

  /// The name for people; empty where there is none.
  public Optional<String> name() {
    return List.of("PRETTY_NAME", "NAME", "ID").stream()
        .map(this::value)
        .filter(text -> !text.isBlank())
        .findFirst();
  }

  private static String unquoted(String value) {
    return value.strip().replaceAll("^[\"']+|[\"']+$", "");
  }
}
