package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.config.YamlText;
import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/// Reads configuration files of version v1, and refuses what the reference refuses.
public final class MigConfigParser {
  private static final String VERSION = "version";
  private static final String CONFIGS = "mig-configs";

  private MigConfigParser() {}

  public static ParsedMigConfig parse(String text) {
    try {
      Optional<Node> document = YamlText.compose(text);
      return document.isEmpty()
          ? rejected(Fault.UNKNOWN_VERSION, 1, 1, "unknown version: ")
          : new ParsedMigConfig.Accepted(config(new Place("", document.get())));
    } catch (Refusal refusal) {
      return new ParsedMigConfig.Rejected(refusal.problem());
    } catch (MarkedYAMLException broken) {
      var mark = broken.getProblemMark();
      int line = mark == null ? 1 : mark.getLine() + 1;
      int column = mark == null ? 1 : mark.getColumn() + 1;
      return rejected(Fault.NO_YAML, line, column, "no YAML: " + broken.getProblem());
    } catch (YAMLException broken) {
      return rejected(Fault.NO_YAML, 1, 1, "no YAML: " + broken.getMessage());
    }
  }

  private static ParsedMigConfig rejected(Fault fault, int line, int column, String message) {
    return new ParsedMigConfig.Rejected(new MigConfigProblem(fault, line, column, "", message));
  }

  private static MigConfig config(Place document) throws Refusal {
    Map<String, Place> fields = document.fields();
    Place version = fields.get(VERSION);
    if (version == null) {
      throw fields.isEmpty()
          ? document.refusal(Fault.UNKNOWN_VERSION, "unknown version: ")
          : document.refusal(Fault.MISSING_VERSION, "unable to parse with missing 'version' field");
    }
    if (!version.text().equals("v1")) {
      throw version.refusal(Fault.UNKNOWN_VERSION, "unknown version: " + version.text());
    }
    var layouts = new LinkedHashMap<String, List<MigEntry>>();
    for (var field : fields.entrySet()) {
      switch (field.getKey()) {
        case VERSION -> {}
        case CONFIGS -> layouts.putAll(layouts(field.getValue()));
        default ->
            throw field
                .getValue()
                .refusal(Fault.UNEXPECTED_FIELD, "unexpected field: " + field.getKey());
      }
    }
    return new MigConfig(layouts);
  }

  private static Map<String, List<MigEntry>> layouts(Place configs) throws Refusal {
    var layouts = new LinkedHashMap<String, List<MigEntry>>();
    for (var layout : configs.fields().entrySet()) {
      layouts.put(layout.getKey(), entries(layout.getKey(), layout.getValue()));
    }
    if (layouts.isEmpty()) {
      throw configs.refusal(Fault.NO_LAYOUT, "at least one entry in 'mig-configs' is required");
    }
    return layouts;
  }

  private static List<MigEntry> entries(String label, Place layout) throws Refusal {
    var entries = new ArrayList<MigEntry>();
    for (Place entry : layout.elements()) {
      entries.add(EntryParser.parse(entry));
    }
    if (entries.isEmpty()) {
      throw layout.refusal(
          Fault.NO_ENTRY, "at least one entry in '%s' is required".formatted(label));
    }
    return entries;
  }

  /// Whether it is a list, not a single value.
  static boolean isList(Place place) {
    return place.node() instanceof SequenceNode;
  }
}
