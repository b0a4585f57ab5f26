package dev.pitcrew.agent.config;

import dev.pitcrew.core.text.YamlText;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.error.YAMLException;

/// The configuration file, version `v1`: `version`, `flags`, `resources`, `sharing`, `imex`.
///
/// @param values what it says of flags, by the path of the key
record ConfigFile(Map<String, List<String>> values, Sharing sharing) {
  private static final ConfigFile EMPTY = new ConfigFile(Map.of(), Sharing.NONE);

  static ConfigFile parse(String text, Findings findings) {
    try {
      Object root = YamlText.parse(text);
      return root == null
          ? EMPTY
          : ConfigTree.of("", root, findings).map(tree -> read(tree, findings)).orElse(EMPTY);
    } catch (YAMLException broken) {
      findings.problem(ConfigProblem.WHOLE_FILE, "", "it is no YAML: " + broken.getMessage());
      return EMPTY;
    }
  }

  private static ConfigFile read(ConfigTree root, Findings findings) {
    var values = new LinkedHashMap<String, List<String>>();
    var sharing = Sharing.NONE;
    for (var entry : root.entries().entrySet()) {
      Object value = entry.getValue();
      switch (entry.getKey().toLowerCase(Locale.ROOT)) {
        case "version" -> version(value, findings);
        case "flags" -> values.putAll(FlagSection.read("flags", value, findings));
        case "imex" -> values.putAll(FlagSection.read("imex", value, findings));
        case "resources" -> ResourcesSection.check(value, findings);
        case "sharing" -> sharing = sharing(value, findings);
        default -> findings.warn(entry.getKey() + " is no known key and has no effect");
      }
    }
    return new ConfigFile(values, sharing);
  }

  private static void version(Object value, Findings findings) {
    String version = String.valueOf(value);
    if (!version.isEmpty() && !version.equals("v1")) {
      findings.problem("version", version, "unknown version; give v1");
    }
  }

  /// MPS wins where both ways are configured, as in NVIDIA's device plugin, but not silently.
  private static Sharing sharing(Object value, Findings findings) {
    var tree = ConfigTree.of("sharing", value, findings);
    if (tree.isEmpty()) {
      return Sharing.NONE;
    }
    Optional<Sharing> timeSlicing = Optional.empty();
    Optional<Sharing> mps = Optional.empty();
    for (var entry : tree.get().entries().entrySet()) {
      String path = tree.get().pathOf(entry.getKey());
      switch (entry.getKey().toLowerCase(Locale.ROOT)) {
        case "timeslicing" ->
            timeSlicing =
                SharingSection.read(Strategy.TIME_SLICING, path, entry.getValue(), findings);
        case "mps" -> mps = SharingSection.read(Strategy.MPS, path, entry.getValue(), findings);
        default -> findings.warn(path + " is no known key and has no effect");
      }
    }
    if (timeSlicing.isPresent() && mps.isPresent()) {
      findings.warn("sharing.timeSlicing has no effect because sharing.mps is given as well");
    }
    return mps.orElse(timeSlicing.orElse(Sharing.NONE));
  }
}
