package dev.pitcrew.charts;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.comments.CommentLine;
import org.yaml.snakeyaml.comments.CommentType;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// The schema of the chart's values (JSON Schema draft 7), derived from the defaults and comments
/// of a values file. It refuses only what has never worked with the reference's chart, which has
/// none: a text where a section stands, a list where a text stands. Whatever is written into a
/// manifest may be a text or a number, and a null takes a default away. Unknown keys pass: the
/// notes of an install name them.
record ValuesSchema(Path values) {
  /// What YAML 1.1, which Helm reads manifests as, takes for a boolean; and nothing, which leaves
  /// the default to the API server.
  private static final String BOOLEAN_WORDS =
      "^(|[Tt]rue|TRUE|[Ff]alse|FALSE|[Yy]es|YES|[Nn]o|NO|[Oo]n|ON|[Oo]ff|OFF)$";

  private static final String NUMBER_WORDS = "^[0-9]*$";

  String text() {
    try (var reader = Files.newBufferedReader(values)) {
      var schema = JsonNodeFactory.instance.objectNode();
      schema.put("$schema", "http://json-schema.org/draft-07/schema#");
      schema.put("title", "Values of the Pitcrew chart");
      schema.setAll(of(root(reader)));
      return new JsonMapper().writer(printer()).writeValueAsString(schema) + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException("read " + values, e);
    }
  }

  private static Node root(Reader reader) {
    var options = new LoaderOptions();
    options.setProcessComments(true);
    return new org.yaml.snakeyaml.Yaml(options).compose(reader);
  }

  private static ObjectNode of(Node value) {
    var schema = JsonNodeFactory.instance.objectNode();
    switch (value) {
      case MappingNode section -> {
        types(schema, "object", "null");
        if (!section.getValue().isEmpty()) {
          var properties = schema.putObject("properties");
          section.getValue().forEach(entry -> properties.set(name(entry), described(entry)));
        }
      }
      // A template goes through the values of a map as through those of a list.
      case SequenceNode _ -> types(schema, "array", "object", "null");
      case ScalarNode scalar when scalar.getTag().equals(Tag.BOOL) -> {
        types(schema, "boolean", "string", "null");
        schema.put("pattern", BOOLEAN_WORDS);
      }
      case ScalarNode scalar when scalar.getTag().equals(Tag.INT) -> {
        types(schema, "integer", "string", "null");
        schema.put("pattern", NUMBER_WORDS);
      }
      default -> types(schema, "string", "number", "boolean", "null");
    }
    return schema;
  }

  private static ObjectNode described(NodeTuple entry) {
    var schema = of(entry.getValueNode());
    comment(entry.getKeyNode()).ifPresent(text -> schema.put("description", text));
    return schema;
  }

  /// The lines above a key, without the headings of parts of the file.
  private static Optional<String> comment(Node key) {
    var lines = key.getBlockComments();
    if (lines == null) {
      return Optional.empty();
    }
    var first =
        lines.stream()
            .filter(line -> line.getCommentType() == CommentType.BLANK_LINE)
            .mapToInt(lines::indexOf)
            .max()
            .orElse(-1);
    var text =
        lines.stream()
            .skip(first + 1L)
            .map(CommentLine::getValue)
            .map(String::strip)
            .collect(Collectors.joining(" "));
    return Optional.of(text).filter(it -> !it.isBlank() && !it.contains("----"));
  }

  private static String name(NodeTuple entry) {
    return ((ScalarNode) entry.getKeyNode()).getValue();
  }

  private static void types(ObjectNode schema, String... types) {
    var all = schema.putArray("type");
    for (var type : types) {
      all.add(type);
    }
  }

  private static DefaultPrettyPrinter printer() {
    return new DefaultPrettyPrinter(
            Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER))
        .withObjectIndenter(new DefaultIndenter("  ", "\n"));
  }
}
