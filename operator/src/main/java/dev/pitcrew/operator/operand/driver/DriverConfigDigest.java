package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
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

/// The digest of everything that decides which driver gets installed. The driver manager compares
/// it with the one of the driver that is loaded and skips the reload when they are equal, so a
/// cluster keeps its drivers only if the digest is what it was.
final class DriverConfigDigest {
  static final String VARIABLE = "DRIVER_CONFIG_DIGEST";

  private DriverConfigDigest() {}

  static void apply(DriverRendering rendering) {
    DaemonSetDraft draft = rendering.draft();
    String digest = of(draft);
    for (String name :
        List.of(DriverManagerContainer.NAME, DriverShape.DRIVER, DriverToolkit.CONTAINER)) {
      if (draft.has(name)) {
        draft.find(name).env(VARIABLE, digest);
      }
    }
  }

  static String of(DaemonSetDraft draft) {
    // Field names in byte order, zero values left out.
    SortedMap<String, String> fields = new TreeMap<>();
    ContainerDraft driver = draft.find(DriverShape.DRIVER);
    string(fields, "DriverImage", driver.image());
    strings(fields, "DriverCommand", driver.command());
    strings(fields, "DriverArgs", driver.args());
    environment(fields, "DriverEnv", driver.env());
    driver
        .envFrom()
        .forEach(from -> string(fields, "SecretEnvSource", from.getSecretRef().getName()));
    mounts(fields, driver.mounts());
    volumes(fields, draft.volumes());
    draft.hostPathOf("host-root").ifPresent(root -> string(fields, "HostRoot", root.getPath()));
    if (draft.has(DriverManagerContainer.NAME)) {
      ContainerDraft manager = draft.find(DriverManagerContainer.NAME);
      string(fields, "DriverManagerImage", manager.image());
      environment(fields, "ManagerEnv", manager.env());
    }
    sideContainers(fields, draft);
    return Fnv32a.decimal(
        fields.entrySet().stream()
            .map(field -> field.getKey() + ":" + field.getValue())
            .collect(Collectors.joining()));
  }

  private static void sideContainers(SortedMap<String, String> fields, DaemonSetDraft draft) {
    if (draft.has(DriverShape.PEERMEM)) {
      flag(fields, "GPUDirectRDMAEnabled");
      string(fields, "PeermemImage", draft.find(DriverShape.PEERMEM).image());
    }
    if (draft.has(DriverShape.GDS)) {
      flag(fields, "GDSEnabled");
      string(fields, "GDSImage", draft.find(DriverShape.GDS).image());
      environment(fields, "GDSEnv", draft.find(DriverShape.GDS).env());
    }
    if (draft.has(DriverShape.GDRCOPY)) {
      flag(fields, "GDRCopyEnabled");
      string(fields, "GDRCopyImage", draft.find(DriverShape.GDRCOPY).image());
      environment(fields, "GDRCopyEnv", draft.find(DriverShape.GDRCOPY).env());
    }
    if (draft.has(DriverToolkit.CONTAINER)) {
      flag(fields, "DTKEnabled");
      string(fields, "DTKImage", draft.find(DriverToolkit.CONTAINER).image());
    }
  }

  private static void string(SortedMap<String, String> fields, String name, String value) {
    if (!value.isEmpty()) {
      fields.put(name, text(value));
    }
  }

  private static void flag(SortedMap<String, String> fields, String name) {
    fields.put(name, "(bool)true");
  }

  private static void strings(SortedMap<String, String> fields, String name, List<String> values) {
    if (!values.isEmpty()) {
      fields.put(name, "([]string)[" + String.join(" ", values) + "]");
    }
  }

  private static void environment(
      SortedMap<String, String> fields, String name, List<EnvVar> variables) {
    var plain =
        variables.stream()
            .filter(variable -> variable.getValueFrom() == null)
            .sorted(Comparator.comparing(EnvVar::getName))
            .map(variable ->
                "{Name:" + text(variable.getName()) + " Value:" + text(variable.getValue()) + "}")
            .toList();
    list(fields, name, "config.EnvVar", plain);
  }

  private static void mounts(SortedMap<String, String> fields, List<VolumeMount> mounts) {
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
    list(fields, "AdditionalVolumeMounts", "config.VolumeMountConfig", entries);
  }

  private static void volumes(SortedMap<String, String> fields, List<Volume> volumes) {
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
    list(fields, "AdditionalVolumes", "config.VolumeConfig", entries);
  }

  private static void list(
      SortedMap<String, String> fields, String name, String type, List<String> entries) {
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
