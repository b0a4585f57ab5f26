package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.core.digest.Fnv32a;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The text that a driver's digest is made of: the fields that decide on the installed driver, by
/// name in byte order, zero values left out. The spelling of types and values is the NVIDIA GPU
/// Operator's, as a digest that differs makes every node install its driver again.
final class DigestFields {
  private final SortedMap<String, String> fields = new TreeMap<>();

  String digest() {
    return Fnv32a.decimal(
        fields.entrySet().stream()
            .map(field -> field.getKey() + ":" + field.getValue())
            .collect(Collectors.joining()));
  }

  void string(String name, String value) {
    if (!value.isEmpty()) {
      fields.put(name, text(value));
    }
  }

  void flag(String name) {
    fields.put(name, "(bool)true");
  }

  void strings(String name, List<String> values) {
    if (!values.isEmpty()) {
      fields.put(name, "([]string)[" + String.join(" ", values) + "]");
    }
  }

  void environment(String name, List<EnvVar> variables) {
    var plain =
        variables.stream()
            .filter(variable -> variable.getValueFrom() == null)
            .sorted(Comparator.comparing(EnvVar::getName))
            .map(variable ->
                "{Name:" + text(variable.getName()) + " Value:" + text(variable.getValue()) + "}")
            .toList();
    list(name, "config.EnvVar", plain);
  }

  void mounts(List<VolumeMount> mounts) {
    var entries =
        mounts.stream()
            .sorted(
                Comparator.comparing(VolumeMount::getName).thenComparing(VolumeMount::getMountPath))
            .map(mount ->
                "{Name:%s MountPath:%s SubPath:%s ReadOnly:(bool)%s}"
                    .formatted(
                        text(mount.getName()),
                        text(mount.getMountPath()),
                        text(mount.getSubPath()),
                        Boolean.TRUE.equals(mount.getReadOnly())))
            .toList();
    list("AdditionalVolumeMounts", "config.VolumeMountConfig", entries);
  }

  void volumes(List<Volume> volumes) {
    var entries =
        volumes.stream()
            .sorted(Comparator.comparing(Volume::getName))
            .map(volume ->
                "{Name:%s ConfigMapName:%s SecretName:%s HostPath:%s}"
                    .formatted(
                        text(volume.getName()),
                        text(volume.getConfigMap() == null ? "" : volume.getConfigMap().getName()),
                        text(volume.getSecret() == null ? "" : volume.getSecret().getSecretName()),
                        text(path(volume.getHostPath()))))
            .toList();
    list("AdditionalVolumes", "config.VolumeConfig", entries);
  }

  private void list(String name, String type, List<String> entries) {
    if (!entries.isEmpty()) {
      fields.put(name, "([]" + type + ")[" + String.join(" ", entries) + "]");
    }
  }

  private static String path(@Nullable HostPathVolumeSource source) {
    return source == null ? "" : source.getPath();
  }

  private static String text(@Nullable String value) {
    return "(string)" + Objects.requireNonNullElse(value, "");
  }
}
