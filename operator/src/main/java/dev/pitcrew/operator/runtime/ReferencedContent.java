package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.digest.Fnv32a;
import dev.pitcrew.operator.operand.driver.DriverSettings.References;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the ConfigMaps and Secrets hold that an NVIDIADriver refers to. Their files that are
/// mounted singly do not change in a running pod, so a driver has to be installed again to see an
/// edit. That interrupts workloads, so it is done only where the user asks for it.
final class ReferencedContent {
  /// On an NVIDIADriver; `true` asks for it.
  static final String ROLL_ON_CONTENT = "pitcrew.dev/roll-on-content";

  private final Caches caches;
  private final SecretReferences secrets;

  /// Reads from the caches, which hold a digest in place of each value.
  ReferencedContent(Caches caches, SecretReferences secrets) {
    this.caches = caches;
    this.secrets = secrets;
  }

  /// A digest of all of it; empty where it is not asked for or nothing is referred to.
  String of(GenericKubernetesResource driver, References names) {
    Map<String, String> annotations =
        Objects.requireNonNullElse(driver.getMetadata().getAnnotations(), Map.of());
    if (!"true".equals(annotations.get(ROLL_ON_CONTENT))) {
      return "";
    }
    SortedMap<String, SortedMap<String, String>> content = new TreeMap<>();
    names
        .configMaps()
        .forEach(name ->
            caches
                .configMaps()
                .get(caches.namespace(), name)
                .ifPresent(found -> content.put("ConfigMap " + name, values(found))));
    secrets
        .content(names.secrets())
        .forEach((name, values) -> content.put("Secret " + name, new TreeMap<>(values)));
    return content.isEmpty() ? "" : Fnv32a.decimal(content.toString());
  }

  private static SortedMap<String, String> values(ConfigMap configMap) {
    SortedMap<String, String> values = new TreeMap<>(orNone(configMap.getData()));
    values.putAll(orNone(configMap.getBinaryData()));
    return values;
  }

  private static Map<String, String> orNone(@Nullable Map<String, String> values) {
    return Optional.ofNullable(values).orElseGet(Map::of);
  }

  /// A short text in place of each value, so that an edit is seen and memory is not spent.
  static Map<String, String> digests(@Nullable Map<String, String> values) {
    var digests = new TreeMap<String, String>();
    orNone(values).forEach((key, value) -> digests.put(key, Fnv32a.decimal(value)));
    return digests;
  }
}
