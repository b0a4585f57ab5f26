package dev.pitcrew.testbed.demo;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What the chart is installed with.
record DemoValues(Map<String, Object> all) {
  /// @throws TestbedException if there is no such file
  static DemoValues read(Path file) {
    try (var stream = Files.newInputStream(file)) {
      return new DemoValues(
          new KubernetesSerialization()
              .unmarshal(stream, new TypeReference<Map<String, Object>>() {}));
    } catch (IOException e) {
      throw new TestbedException("cannot read the values file " + file + "; see --values", e);
    }
  }

  /// As Helm lays one values file over another.
  DemoValues with(Map<String, ?> more) {
    return new DemoValues(merged(all, more));
  }

  /// The driver that all nodes are to have at first.
  Optional<String> driverVersion() {
    return all.get("driver") instanceof Map<?, ?> driver
            && driver.get("version") instanceof String version
        ? Optional.of(version)
        : Optional.empty();
  }

  private static Map<String, Object> merged(Map<?, ?> below, Map<?, ?> above) {
    var merged = new LinkedHashMap<String, Object>();
    below.forEach((key, value) -> merged.put(String.valueOf(key), value));
    above.forEach((key, value) ->
        merged.merge(
            String.valueOf(key),
            value,
            (old, it) ->
                old instanceof Map<?, ?> a && it instanceof Map<?, ?> b ? merged(a, b) : it));
    return merged;
  }
}
