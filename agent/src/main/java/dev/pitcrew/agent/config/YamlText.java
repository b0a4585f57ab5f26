package dev.pitcrew.agent.config;

import java.io.StringReader;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/// YAML and JSON as the reference reads them: YAML 1.1 with its words for truths, but without its
/// dates and numbers to base 60 (an index such as `1:0` is a text).
///
/// Aliases are bounded: a text of a few hundred bytes can stand for millions of values, and to read
/// one must not end the agent.
public final class YamlText {
  /// With all aliases written out. The largest documents that are read have some thousands.
  private static final long MOST_VALUES = 100_000;

  private YamlText() {}

  /// Maps, lists, texts, numbers and truths; null for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML, or has more values than are read
  public static @Nullable Object parse(String text) {
    compose(text);
    // What follows the first document is not read, as in the reference.
    var documents = reader().loadAll(text).iterator();
    return documents.hasNext() ? documents.next() : null;
  }

  /// The same with the position of everything; empty for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML, or has more values than are read
  public static Optional<Node> compose(String text) {
    var documents = reader().composeAll(new StringReader(text)).iterator();
    Optional<Node> document =
        documents.hasNext() ? Optional.ofNullable(documents.next()) : Optional.empty();
    document.ifPresent(root -> values(root, new IdentityHashMap<>()));
    return document;
  }

  /// How many values a node stands for.
  ///
  /// @param known of the nodes that were counted; 0 for those that are being counted
  private static long values(Node node, Map<Node, Long> known) {
    Long before = known.putIfAbsent(node, 0L);
    if (before != null && before == 0) {
      throw new YAMLException("an alias names a value that it is a part of: write the value out");
    }
    if (before != null) {
      return before;
    }
    Stream<Node> parts =
        switch (node) {
          case MappingNode map ->
              map.getValue().stream()
                  .flatMap(entry -> Stream.of(entry.getKeyNode(), entry.getValueNode()));
          case SequenceNode list -> list.getValue().stream();
          default -> Stream.empty();
        };
    long count = 1 + parts.mapToLong(part -> values(part, known)).sum();
    if (count > MOST_VALUES) {
      throw new YAMLException(
          "it has more than %d values with its aliases written out: use fewer aliases"
              .formatted(MOST_VALUES));
    }
    known.put(node, count);
    return count;
  }

  private static Yaml reader() {
    var options = new LoaderOptions();
    var dumper = new DumperOptions();
    return new Yaml(
        new SafeConstructor(options), new Representer(dumper), dumper, options, new PlainScalars());
  }

  private static final class PlainScalars extends Resolver {
    private static final Pattern WHOLE =
        Pattern.compile("[-+]?(?:0|[1-9][0-9_]*|0[0-7]+|0x[0-9a-fA-F]+)");
    private static final Pattern FRACTION =
        Pattern.compile("[-+]?(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?");

    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
      addImplicitResolver(Tag.INT, WHOLE, "-+0123456789");
      addImplicitResolver(Tag.FLOAT, FRACTION, "-+0123456789.");
      addImplicitResolver(Tag.MERGE, MERGE, "<");
      addImplicitResolver(Tag.NULL, NULL, "~nN\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }
}
