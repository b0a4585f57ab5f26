package dev.pitcrew.operator.render;

import java.util.TreeSet;

/// Keys of a user's ConfigMap as single files inside a container.
public final class ConfigMapFiles {
  private ConfigMapFiles() {}

  /// Mounts each key as a read-only file of that name in a directory.
  public static void mountAll(
      DaemonSetDraft draft,
      ContainerDraft container,
      String configMap,
      String directory,
      RenderContext context) {
    var keys = context.facts().configMaps().getOrDefault(configMap, new TreeSet<>());
    String volume = Volumes.nameFor(configMap, draft);
    draft.volume(Volumes.configMap(volume, configMap, keys.stream().map(Volumes::file).toList()));
    keys.forEach(key -> container.mountFile(volume, directory + "/" + key, key));
  }
}
