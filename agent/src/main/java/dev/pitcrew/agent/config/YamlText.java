package dev.pitcrew.agent.config;

import java.io.StringReader;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/// YAML and JSON as the reference reads them: YAML 1.1 with its words for truths, but without its
/// dates and numbers to base 60 (an index such as `1:0` is a text).
public final class YamlText {
  private YamlText() {}

  /// Maps, lists, texts, numbers and truths; null for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML
  public static @Nullable Object parse(String text) {
    // What follows the first document is not read, as in the reference.
    var documents = reader().loadAll(text).iterator();
    return documents.hasNext() ? documents.next() : null;
  }

  /// The same with the position of everything; empty for an empty document.
  ///
  /// @throws YAMLException if the text is no YAML
  public static Optional<Node> compose(String text) {
    var documents = reader().composeAll(new StringReader(text)).iterator();
    return documents.hasNext() ? Optional.ofNullable(documents.next()) : Optional.empty();
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
