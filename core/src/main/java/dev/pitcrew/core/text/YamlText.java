package dev.pitcrew.core.text;

import java.io.StringReader;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/// YAML and JSON as NVIDIA's programs read them: YAML 1.1 with its words for truths, but without
/// its dates and numbers to base 60 (an index such as `1:0` is a text). What aliases add is
/// bounded: a few hundred bytes of them can stand for more than a small heap holds.
public final class YamlText {
  /// What the aliases of a document may add to it, in characters.
  private static final int ALIASES_ADD_AT_MOST = 100_000;

  private YamlText() {}

  /// Maps, lists, texts, numbers and truths; null for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML, or its aliases add too much or form a cycle
  public static @Nullable Object parse(String text) {
    // What follows the first document is not read, as in NVIDIA's programs.
    var documents = reader().loadAll(text).iterator();
    return documents.hasNext() ? documents.next() : null;
  }

  /// The same with the position of everything; empty for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML, or its aliases add too much or form a cycle
  public static Optional<Node> compose(String text) {
    var documents = reader().composeAll(new StringReader(text)).iterator();
    if (!documents.hasNext()) {
      return Optional.empty();
    }
    var document = Optional.ofNullable(documents.next());
    document.ifPresent(root -> new Expansion().sizeOf(root, ""));
    return document;
  }

  private static Yaml reader() {
    var options = new LoaderOptions();
    var dumper = new DumperOptions();
    return new Yaml(
        new BoundedConstructor(options),
        new Representer(dumper),
        dumper,
        options,
        new PlainScalars());
  }

  private static final class BoundedConstructor extends SafeConstructor {
    BoundedConstructor(LoaderOptions options) {
      super(options);
    }

    @Override
    public Object getData() throws NoSuchElementException {
      Node root = composer.getNode();
      new Expansion().sizeOf(root, "");
      return constructDocument(root);
    }
  }

  /// How large a document gets with every alias replaced by what it stands for.
  private static final class Expansion {
    private final IdentityHashMap<Node, Long> sizes = new IdentityHashMap<>();
    private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private long written;

    /// In characters, one more for each value.
    ///
    /// @param key the path of the key that `node` is the value of; empty for the document
    long sizeOf(Node node, String key) {
      Long known = sizes.get(node);
      if (known != null) {
        return known;
      }
      if (!open.add(node)) {
        throw refused(node, key, "an alias stands for a value that contains the alias itself");
      }
      long own = node instanceof ScalarNode scalar ? 1L + scalar.getValue().length() : 1;
      written += own;
      long size = own + sizeOfParts(node, key);
      if (size - written > ALIASES_ADD_AT_MOST) {
        throw refused(
            node, key, "aliases add more than " + ALIASES_ADD_AT_MOST + " characters to it");
      }
      open.remove(node);
      sizes.put(node, size);
      return size;
    }

    private long sizeOfParts(Node node, String key) {
      long size = 0;
      if (node instanceof MappingNode mapping) {
        for (var entry : mapping.getValue()) {
          size += sizeOf(entry.getKeyNode(), key);
          size += sizeOf(entry.getValueNode(), pathOf(key, entry.getKeyNode()));
        }
      } else if (node instanceof SequenceNode sequence) {
        for (var item : sequence.getValue()) {
          size += sizeOf(item, key);
        }
      }
      return size;
    }

    private static String pathOf(String parent, Node keyNode) {
      String key = keyNode instanceof ScalarNode scalar ? scalar.getValue() : "?";
      return parent.isEmpty() ? key : parent + "." + key;
    }

    private static YAMLException refused(Node node, String key, String why) {
      String place = key.isEmpty() ? "" : ", key " + key;
      int line = node.getStartMark().getLine() + 1;
      return new YAMLException(
          "line " + line + place + ": " + why + "; write the values out instead");
    }
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
