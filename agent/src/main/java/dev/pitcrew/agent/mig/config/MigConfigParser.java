package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.agent.mig.config.VersionOne.Read;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.nodes.SequenceNode;

/// Reads configuration files of version v1, and rejects what NVIDIA's mig-parted rejects.
public final class MigConfigParser {
  private static final String CONFIGS = "mig-configs";

  private MigConfigParser() {}

  public static ParsedMigConfig parse(String text) {
    return switch (VersionOne.<Map<String, List<MigEntry>>>read(
        text, CONFIGS, Map.of(), MigConfigParser::layouts)) {
      case Read.Content<Map<String, List<MigEntry>>>(var layouts) ->
          new ParsedMigConfig.Accepted(new MigConfig(layouts));
      case Read.Rejected<Map<String, List<MigEntry>>>(var problem) ->
          new ParsedMigConfig.Rejected(problem);
    };
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
