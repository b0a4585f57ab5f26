package dev.pitcrew.agent.metrics.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// A mapping of the file, with the path that leads to it. What is wrong is noted, and read as if it
/// were not there.
///
/// @param path with a dot at its end; empty for the whole file
record Section(String file, String path, Map<String, Node> values, List<String> problems) {

  static Section whole(String file, Optional<Node> document, List<String> problems) {
    return document
        .map(node -> of(file, "", node, problems))
        .orElseGet(() -> new Section(file, "", Map.of(), problems));
  }

  private static Section of(String file, String path, Node node, List<String> problems) {
    var values = new LinkedHashMap<String, Node>();
    var section = new Section(file, path, values, problems);
    if (node instanceof MappingNode mapping) {
      for (NodeTuple entry : mapping.getValue()) {
        String key =
            entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "a mapping";
        values.put(key, entry.getValueNode());
      }
    } else if (!node.getTag().equals(Tag.NULL)) {
      section.problem(
          node,
          path.isEmpty() ? "the file" : path.substring(0, path.length() - 1),
          "write a mapping of keys to values");
    }
    return section;
  }

  /// A misspelt key must not leave an endpoint open.
  void only(List<String> known) {
    values.forEach((key, value) -> {
      if (!known.contains(key)) {
        problem(value, path + key, "no such key; write one of " + String.join(", ", known));
      }
    });
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  Section section(String key) {
    Node node = values.get(key);
    return node == null
        ? new Section(file, path + key + ".", Map.of(), problems)
        : of(file, path + key + ".", node, problems);
  }

  Optional<String> text(String key) {
    Node node = values.get(key);
    if (node == null) {
      return Optional.empty();
    }
    if (node instanceof ScalarNode scalar) {
      return Optional.of(scalar.getValue()).filter(it -> !it.isEmpty());
    }
    problem(node, path + key, "write a text");
    return Optional.empty();
  }

  boolean isTrue(String key) {
    return text(key)
        .map(text -> {
          if (!text.equals("true") && !text.equals("false")) {
            wrong(key, text, "write true or false");
          }
          return text.equals("true");
        })
        .orElse(false);
  }

  List<String> texts(String key) {
    var texts = new ArrayList<String>();
    Node node = values.get(key);
    if (node instanceof SequenceNode list) {
      for (Node entry : list.getValue()) {
        if (entry instanceof ScalarNode scalar) {
          texts.add(scalar.getValue());
        } else {
          problem(entry, path + key, "write a list of texts");
        }
      }
    } else if (node != null && !node.getTag().equals(Tag.NULL)) {
      problem(node, path + key, "write a list of texts");
    }
    return texts;
  }

  /// A value that is not taken.
  void wrong(String key, String value, String remedy) {
    Node node = values.get(key);
    String what = "%s%s is '%s'".formatted(path, key, value);
    if (node == null) {
      problems.add("%s: %s: %s".formatted(file, what, remedy));
    } else {
      problem(node, what, remedy);
    }
  }

  /// A problem with a key whose value must not be shown.
  void wrong(String key, String remedy) {
    Node node = values.get(key);
    if (node == null) {
      problems.add("%s: %s%s: %s".formatted(file, path, key, remedy));
    } else {
      problem(node, path + key, remedy);
    }
  }

  private void problem(Node at, String what, String remedy) {
    problems.add("%s:%d: %s: %s".formatted(file, at.getStartMark().getLine() + 1, what, remedy));
  }
}
