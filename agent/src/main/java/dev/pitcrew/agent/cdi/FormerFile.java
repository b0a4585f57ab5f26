package dev.pitcrew.agent.cdi;

import dev.pitcrew.core.text.YamlText;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.YAMLException;

/// What a specification gives containers of the driver and the host. Another load of a driver may
/// have device nodes of other numbers, and another version has other files; hooks and variables are
/// the same for each driver.
///
/// @param nodes what each container gets
/// @param mounts what each container gets
/// @param devices the nodes of each device, by its name
record FormerFile(Set<Object> nodes, Set<Object> mounts, Map<String, Set<Object>> devices) {

  /// Empty for a text that is no specification.
  static Optional<FormerFile> of(String text) {
    try {
      return YamlText.parse(text) instanceof Map<?, ?> root
          ? Optional.of(of(root))
          : Optional.empty();
    } catch (YAMLException _) {
      return Optional.empty();
    }
  }

  private static FormerFile of(Map<?, ?> root) {
    var devices = new HashMap<String, Set<Object>>();
    items(root.get("devices"))
        .forEach(device -> {
          if (device instanceof Map<?, ?> map) {
            devices.put(String.valueOf(map.get("name")), edits(map, "deviceNodes"));
          }
        });
    return new FormerFile(edits(root, "deviceNodes"), edits(root, "mounts"), devices);
  }

  private static Set<Object> edits(Map<?, ?> owner, String field) {
    return owner.get("containerEdits") instanceof Map<?, ?> edits
        ? items(edits.get(field)).collect(Collectors.toSet())
        : Set.of();
  }

  private static Stream<Object> items(@Nullable Object value) {
    return value instanceof Iterable<?> list
        ? StreamSupport.stream(list.spliterator(), false).map(Object.class::cast)
        : Stream.empty();
  }

  /// Whether it gives all devices of the next one, and what they need; a file that came since may
  /// be missing.
  boolean serves(FormerFile next) {
    return nodes.equals(next.nodes)
        && next.mounts.containsAll(mounts)
        && next.devices.entrySet().stream()
            .allMatch(it -> it.getValue().equals(devices.get(it.getKey())));
  }

  /// Whether it gives what the next one does not: a container would not start, or would with device
  /// nodes that are not those of the driver that runs.
  boolean isStale(FormerFile next) {
    return !next.nodes.containsAll(nodes)
        || !next.mounts.containsAll(mounts)
        || next.devices.entrySet().stream()
            .anyMatch(it ->
                devices.containsKey(it.getKey())
                    && !it.getValue().equals(devices.get(it.getKey())));
  }
}
