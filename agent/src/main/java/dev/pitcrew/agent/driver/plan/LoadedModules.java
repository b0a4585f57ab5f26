package dev.pitcrew.agent.driver.plan;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Kernel modules as `/sys/module` shows them, by name; of them those of the driver and nouveau.
public record LoadedModules(Map<String, Module> byName) {
  public static final String DRIVER = "nvidia";
  public static final String NOUVEAU = "nouveau";

  /// A module comes before the modules that it uses. `nvidia_drm` uses `nvidia_modeset`, so that
  /// neither can be unloaded without it.
  public static final List<String> UNLOAD_ORDER =
      List.of(
          "nvidia_drm",
          "nvidia_modeset",
          "nvidia_uvm",
          "nvidia_peermem",
          "nvidia_fs",
          "nvidia_vgpu_vfio",
          "gdrdrv",
          DRIVER);

  /// @param references how often it is used (`refcnt`): by each holder once, and by open files
  /// @param holders the modules that use it
  public record Module(int references, Set<String> holders) {
    public Module {
      holders = Set.copyOf(holders);
    }

    int users() {
      return Math.max(0, references - holders.size());
    }
  }

  public LoadedModules {
    byName = Map.copyOf(byName);
  }

  public boolean hasDriver() {
    return byName.containsKey(DRIVER);
  }

  /// What is to be unloaded, in this order.
  public List<String> toUnload() {
    return UNLOAD_ORDER.stream().filter(byName::containsKey).toList();
  }

  /// How often each is used by anything but the driver's other modules; only those that are.
  public Map<String, Integer> inUse() {
    return byName.entrySet().stream()
        .filter(it -> UNLOAD_ORDER.contains(it.getKey()) && it.getValue().users() > 0)
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, it -> it.getValue().users(), Integer::sum, TreeMap::new));
  }

  /// A foreign module that uses the driver, such as a file system's; the program that loaded it has
  /// to unload it.
  public Optional<String> foreignUser() {
    return byName.entrySet().stream()
        .filter(it -> UNLOAD_ORDER.contains(it.getKey()))
        .flatMap(it -> it.getValue().holders().stream())
        .filter(holder -> !UNLOAD_ORDER.contains(holder))
        .sorted()
        .findFirst();
  }
}
