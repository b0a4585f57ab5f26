package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.diag.Redactions.Kind;
import dev.pitcrew.cli.transport.Json;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Replaces the secrets of one file. Not safe for several threads.
///
/// Objects are gone through field by field, since a name and its value may be apart in them; each
/// text that stays is redacted by what it looks like.
final class Redactor {
  private static final Pattern LAST_APPLIED =
      Pattern.compile("(?i).*last-applied.*|objectset\\.rio\\.cattle\\.io/applied");
  private static final Pattern FLAG = Pattern.compile("--?[A-Za-z][\\w.-]{0,100}");

  private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);

  /// How often something was replaced so far.
  Map<Kind, Integer> counts() {
    return counts;
  }

  String text(String text) {
    return SecretText.redact(text, this::found);
  }

  /// The fields of an object: maps, lists, text, numbers and truths.
  Map<String, Object> object(Json object) {
    return object.value() instanceof Map<?, ?> map ? fields(map) : Map.of();
  }

  private Object value(Object value) {
    return switch (value) {
      case Map<?, ?> map -> fields(map);
      case List<?> list -> items(list);
      case String text -> text(text);
      default -> value;
    };
  }

  private Map<String, Object> fields(Map<?, ?> map) {
    var fields = new LinkedHashMap<String, Object>();
    boolean isSecret = "Secret".equals(map.get("kind")) && map.containsKey("metadata");
    var object = new Json(map);
    boolean isNamedSecret =
        map.containsKey("value")
            && (SecretNames.isSecret(object.at("name").text())
                || SecretNames.isSecret(object.at("key").text()));
    map.forEach((key, value) -> {
      String name = key.toString();
      if (name.equals("managedFields")) {
        found(Kind.MANAGED_FIELDS);
      } else if (LAST_APPLIED.matcher(name).matches()) {
        found(Kind.LAST_APPLIED);
      } else if (isSecret && (name.equals("data") || name.equals("stringData"))) {
        fields.put(name, hidden(Kind.SECRET_OBJECT));
      } else if (isNamedSecret && name.equals("value")) {
        fields.put(name, hidden(Kind.NAMED_SECRET));
      } else {
        put(fields, text(name), field(name, value));
      }
    });
    return fields;
  }

  /// Two names that are replaced by the same mark stay apart.
  private static void put(Map<String, Object> fields, String name, Object value) {
    fields.put(fields.containsKey(name) ? name + " " + fields.size() : name, value);
  }

  private Object field(String name, Object value) {
    if (name.equals("env") || name.equals("environment") || name.equals("Env")) {
      return variables(value);
    }
    if (name.equals("binaryData") && value instanceof Map<?, ?> files) {
      return hidden(Kind.BINARY) + ", %d files".formatted(files.size());
    }
    boolean isWhole = value instanceof Map<?, ?> || isListOfObjects(value);
    boolean isSecret = isWhole ? SecretNames.isSecretObject(name) : SecretNames.isSecret(name);
    boolean isSecretFile = value instanceof String && SecretNames.isSecretFile(name);
    boolean isNothing = value instanceof Boolean || new Json(value).isEmpty();
    return (isSecret || isSecretFile) && !isNothing ? hidden(Kind.NAMED_SECRET) : value(value);
  }

  private static boolean isListOfObjects(Object value) {
    return value instanceof List<?> list
        && list.stream().anyMatch(it -> it instanceof Map<?, ?> || it instanceof List<?>);
  }

  /// A flag and its value may be two items: `--password`, `abc`.
  private List<Object> items(List<?> list) {
    var items = new ArrayList<>();
    boolean isValue = false;
    for (Object item : list) {
      items.add(isValue && item instanceof String ? hidden(Kind.NAMED_SECRET) : value(item));
      isValue =
          item instanceof String text && FLAG.matcher(text).matches() && SecretNames.isSecret(text);
    }
    return items;
  }

  /// As Kubernetes has them, as a map, and as a container runtime has them: `NAME=value`.
  private Object variables(Object value) {
    return switch (value) {
      case List<?> list -> list.stream().map(this::variable).toList();
      case Map<?, ?> map -> {
        var variables = new LinkedHashMap<String, Object>();
        map.forEach((name, it) -> variables.put(name.toString(), variable(name.toString(), it)));
        yield variables;
      }
      default -> hidden(Kind.ENVIRONMENT);
    };
  }

  private Object variable(Object item) {
    if (item instanceof Map<?, ?> map) {
      var fields = new LinkedHashMap<String, Object>();
      String name = String.valueOf(map.get("name"));
      map.forEach((key, value) ->
          fields.put(
              key.toString(),
              key.equals("value") ? variable(name, value) : field(key.toString(), value)));
      return fields;
    }
    String text = item.toString();
    int end = text.indexOf('=');
    String name = end < 0 ? text : text.substring(0, end);
    return end < 0
        ? hidden(Kind.ENVIRONMENT)
        : name + "=" + variable(name, text.substring(end + 1));
  }

  private Object variable(String name, Object value) {
    return new Json(value).isEmpty() || SecretNames.isHarmlessVariable(name)
        ? value(value)
        : hidden(Kind.ENVIRONMENT);
  }

  private String hidden(Kind kind) {
    found(kind);
    return kind.mark();
  }

  private void found(Kind kind) {
    counts.merge(kind, 1, Integer::sum);
  }
}
