package dev.pitcrew.kube.selector;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A label selector in one line, as kubectl and API servers take it: `a=b,c!=d,e in (f,g),h,!i`.
/// See [label
/// selectors](https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors).
/// All requirements have to hold; an empty selector selects everything.
public final class LabelSelector {
  private static final String KEY = "[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?";
  private static final String VALUE = "([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?";
  private static final Pattern REQUIREMENT =
      Pattern.compile(
          "\\s*(?:(?<absent>!)\\s*(?<not>"
              + KEY
              + ")|(?<key>"
              + KEY
              + ")(?:\\s*(?<equals>==?|!=)\\s*(?<value>"
              + VALUE
              + ")|\\s+(?<set>in|notin)\\s*\\((?<values>[^()]*)\\))?)\\s*(?:,|$)");
  private static final Pattern ONE_VALUE = Pattern.compile(VALUE);

  private sealed interface Requirement {
    record In(String key, Set<String> values) implements Requirement {}

    record NotIn(String key, Set<String> values) implements Requirement {}

    record Exists(String key) implements Requirement {}

    record Absent(String key) implements Requirement {}

    default boolean holds(Map<String, String> labels) {
      return switch (this) {
        case In(String key, Set<String> values) ->
            labels.containsKey(key) && values.contains(labels.get(key));
        case NotIn(String key, Set<String> values) ->
            !labels.containsKey(key) || !values.contains(labels.get(key));
        case Exists(String key) -> labels.containsKey(key);
        case Absent(String key) -> !labels.containsKey(key);
      };
    }
  }

  private final List<Requirement> requirements;

  private LabelSelector(List<Requirement> requirements) {
    this.requirements = requirements;
  }

  /// Reads a selector.
  ///
  /// @throws IllegalArgumentException naming the text and where it cannot be read
  public static LabelSelector of(String text) {
    var requirements = new ArrayList<Requirement>();
    Matcher matcher = REQUIREMENT.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (text.isBlank()) {
        break;
      }
      if (!matcher.find(at) || matcher.start() != at) {
        throw new IllegalArgumentException(
            "label selector \"%s\" cannot be read from \"%s\" on: write it as a=b,c!=d,e in (f,g),h,!i"
                .formatted(text, text.substring(at)));
      }
      requirements.add(requirement(text, matcher));
      at = matcher.end();
    }
    return new LabelSelector(List.copyOf(requirements));
  }

  /// Whether an object with these labels is selected.
  public boolean selects(Map<String, String> labels) {
    return requirements.stream().allMatch(requirement -> requirement.holds(labels));
  }

  /// Whether these labels have each of those that a `nodeSelector` names. A lookup for each: nodes
  /// have some eighty labels, and `entrySet().contains` of a map of the JDK may look at all.
  public static boolean matches(Map<String, String> nodeSelector, Map<String, String> labels) {
    for (var wanted : nodeSelector.entrySet()) {
      if (!wanted.getValue().equals(labels.get(wanted.getKey()))) {
        return false;
      }
    }
    return true;
  }

  private static Requirement requirement(String text, Matcher matcher) {
    if (matcher.group("absent") != null) {
      return new Requirement.Absent(matcher.group("not"));
    }
    String key = matcher.group("key");
    @Nullable String operator = matcher.group("equals");
    if (operator != null) {
      Set<String> value = Set.of(matcher.group("value"));
      return operator.equals("!=")
          ? new Requirement.NotIn(key, value)
          : new Requirement.In(key, value);
    }
    @Nullable String set = matcher.group("set");
    if (set == null) {
      return new Requirement.Exists(key);
    }
    Set<String> values = values(text, matcher.group("values"));
    return set.equals("in") ? new Requirement.In(key, values) : new Requirement.NotIn(key, values);
  }

  private static Set<String> values(String text, String list) {
    var values = List.of(list.split(",", -1)).stream().map(String::strip).toList();
    for (String value : values) {
      if (!ONE_VALUE.matcher(value).matches()) {
        throw new IllegalArgumentException(
            "label selector \"%s\": \"%s\" is no value of a label".formatted(text, value));
      }
    }
    return new HashSet<>(values);
  }
}
