package dev.pitcrew.agent.runtime.plan;

import dev.pitcrew.agent.runtime.plan.TomlFile.TomlMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What containerd itself makes of its files (`containerd config dump`).
public record ConfigDump(Map<String, Object> settings, List<String> imports) {
  private static final String SEPARATOR = " ";

  /// @return empty where the text is none
  public static Optional<ConfigDump> of(String text) {
    return TomlFile.read(new ConfigFile("containerd config dump", text))
            instanceof TomlFile.Read.Parsed(var file)
        ? Optional.of(new ConfigDump(flat(file.content()), Imports.of(file)))
        : Optional.empty();
  }

  /// What the other one no longer says, or says otherwise, and we did not mean to change: ours must
  /// not lose a setting of others. Only keys are named: a value may be a password.
  public List<String> lostIn(ConfigDump later, WantedRuntime wanted) {
    var lost = new ArrayList<String>();
    settings.forEach((key, value) -> {
      if (!isMeant(key, wanted) && !value.equals(later.settings.get(key))) {
        boolean isGone = !later.settings.containsKey(key);
        lost.add("%s would %s".formatted(key, isGone ? "be gone" : "change"));
      }
    });
    return List.copyOf(lost);
  }

  /// The wanted handlers that are not in it.
  public List<String> withoutHandlers(WantedRuntime wanted) {
    return wanted.handlers().stream()
        .filter(name -> settings.keySet().stream().noneMatch(key -> key.contains(runtime(name))))
        .toList();
  }

  private static boolean isMeant(String key, WantedRuntime wanted) {
    return key.equals("imports")
        || key.startsWith("version")
        || key.endsWith(SEPARATOR + "enable_cdi")
        || key.endsWith(ContainerdFiles.NRI + SEPARATOR + "disable")
        || wanted.handlers().stream().anyMatch(name -> key.contains(runtime(name)));
  }

  private static String runtime(String name) {
    return String.join(SEPARATOR, "", "containerd", "runtimes", name, "");
  }

  private static Map<String, Object> flat(TomlMap table) {
    var flat = new TreeMap<String, Object>();
    put(flat, "", table);
    return flat;
  }

  private static void put(Map<String, Object> flat, String path, TomlMap table) {
    table
        .entries()
        .forEach((key, value) -> {
          String name = path.isEmpty() ? key : path + SEPARATOR + key;
          if (value instanceof Map<?, ?>) {
            put(flat, name, TomlMap.of(value));
          } else {
            flat.put(name, value);
          }
        });
  }
}
