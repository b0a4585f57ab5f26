package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.List;
import java.util.TreeSet;

/// Keys of a user's ConfigMap as single files inside a container.
public final class ConfigMapFiles {
  private ConfigMapFiles() {}

  /// Mounts each key as a read-only file of that name in a directory; the volume is named after the
  /// ConfigMap.
  public static void mountAll(
      DaemonSetDraft draft,
      ContainerDraft container,
      String configMap,
      String directory,
      RenderContext context) {
    var keys = context.facts().configMaps().getOrDefault(configMap, new TreeSet<>());
    var items = keys.stream().map(key -> new KeyToPath(key, null, key)).toList();
    draft.volume(volume(configMap, configMap, items));
    keys.forEach(key -> container.mountFile(configMap, directory + "/" + key, key));
  }

  public static Volume volume(String volume, String configMap, List<KeyToPath> items) {
    return new VolumeBuilder()
        .withName(volume)
        .withNewConfigMap()
        .withName(configMap)
        .withItems(items)
        .endConfigMap()
        .build();
  }
}
