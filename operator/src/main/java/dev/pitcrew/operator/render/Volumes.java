package dev.pitcrew.operator.render;

import dev.pitcrew.core.digest.Fnv32a;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The kinds of volumes that operands use.
public final class Volumes {
  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  /// Volumes that are added after those of the user.
  private static final Set<String> TAKEN =
      Set.of("config", "lib-modules", "gpu-operator-trusted-ca", "shared-nvidia-driver-toolkit");

  private Volumes() {}

  /// A path of the host.
  ///
  /// @param type as the API has it, or empty for no check
  public static Volume hostPath(String volume, String path, String type) {
    return new VolumeBuilder()
        .withName(volume)
        .withHostPath(new HostPathVolumeSource(path, type.isEmpty() ? null : type))
        .build();
  }

  /// Keys of a ConfigMap; no items means all of them.
  public static Volume configMap(String volume, String configMap, List<KeyToPath> items) {
    return new VolumeBuilder()
        .withName(volume)
        .withNewConfigMap()
        .withName(configMap)
        .withItems(items)
        .endConfigMap()
        .build();
  }

  /// A ConfigMap with a script.
  ///
  /// @param mode file mode, for example `0700`
  public static Volume script(String volume, String configMap, int mode) {
    return new VolumeBuilder()
        .withName(volume)
        .withNewConfigMap()
        .withName(configMap)
        .withDefaultMode(mode)
        .endConfigMap()
        .build();
  }

  public static Volume secret(String volume, String secret, List<KeyToPath> items) {
    return new VolumeBuilder()
        .withName(volume)
        .withNewSecret()
        .withSecretName(secret)
        .withItems(items)
        .endSecret()
        .build();
  }

  public static Volume emptyDir(String volume) {
    return new VolumeBuilder().withName(volume).withNewEmptyDir().endEmptyDir().build();
  }

  /// The key of a ConfigMap or Secret as a file of that name.
  public static KeyToPath file(String key) {
    return new KeyToPath(key, null, key);
  }

  /// The name of the volume for a ConfigMap of the user: the ConfigMap's own, as pods of the
  /// reference have it, unless that is no name for a volume or another volume has it.
  public static String nameFor(String configMap, DaemonSetDraft draft) {
    boolean free =
        draft.volumes().stream()
            .filter(volume -> volume.getName().equals(configMap))
            .allMatch(volume ->
                volume.getConfigMap() != null && configMap.equals(volume.getConfigMap().getName()));
    return free && !TAKEN.contains(configMap) && DNS_LABEL.matcher(configMap).matches()
        ? configMap
        : "configmap-" + Fnv32a.decimal(configMap);
  }
}
