package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// A value in a file, with the path and the position to name it by.
record Place(String key, Node node) {

  Refusal refusal(Fault fault, String message) {
    var mark = node.getStartMark();
    return new Refusal(
        new MigConfigProblem(fault, mark.getLine() + 1, mark.getColumn() + 1, key, message));
  }

  private Refusal wrongType(String wanted) {
    return refusal(Fault.WRONG_TYPE, "must be %s, not %s".formatted(wanted, sort()));
  }

  /// Of a duplicate key, the last one counts, as in NVIDIA's mig-parted.
  Map<String, Place> fields() throws Refusal {
    if (isNull()) {
      return Map.of();
    }
    if (!(node instanceof MappingNode mapping)) {
      throw wrongType("a map");
    }
    var fields = new LinkedHashMap<String, Place>();
    for (NodeTuple field : mapping.getValue()) {
      String name = new Place(key, field.getKeyNode()).scalar();
      fields.put(name, new Place(key.isEmpty() ? name : key + "." + name, field.getValueNode()));
    }
    return fields;
  }

  List<Place> elements() throws Refusal {
    if (isNull()) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      throw wrongType("a list");
    }
    var elements = new ArrayList<Place>();
    for (Node element : sequence.getValue()) {
      elements.add(new Place("%s[%d]".formatted(key, elements.size()), element));
    }
    return elements;
  }

  String text() throws Refusal {
    if (!has(Tag.STR)) {
      throw wrongType("a text");
    }
    return scalar();
  }

  boolean truth() throws Refusal {
    if (!has(Tag.BOOL)) {
      throw wrongType("true or false");
    }
    return switch (scalar().toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on", "y" -> true;
      default -> false;
    };
  }

  int number() throws Refusal {
    if (!has(Tag.INT)) {
      throw wrongType("a whole number");
    }
    try {
      return Integer.decode(scalar().replace("_", ""));
    } catch (NumberFormatException _) {
      throw wrongType("a whole number");
    }
  }

  boolean isNull() {
    return has(Tag.NULL);
  }

  private boolean has(Tag tag) {
    return node.getTag().equals(tag);
  }

  private String scalar() throws Refusal {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw wrongType("a single value");
  }

  private String sort() {
    return switch (node) {
      case MappingNode _ -> "a map";
      case SequenceNode _ -> "a list";
      case ScalarNode scalar -> "'" + scalar.getValue() + "'";
      default -> "this";
    };
  }
}
