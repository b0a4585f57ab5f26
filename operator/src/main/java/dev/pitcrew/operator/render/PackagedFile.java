package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// ConfigMaps made of files that lie beside the operands.
public final class PackagedFile {
  private static final String FOLDER = "/dev/pitcrew/operator/operand/";

  private PackagedFile() {}

  /// A ConfigMap with one key whose value is the packaged file.
  public static ConfigMap configMap(
      String name, String namespace, Map<String, String> labels, String key, String file) {
    return configMap(name, namespace, labels, Map.of(key, text(file)));
  }

  /// A ConfigMap of texts that lie elsewhere.
  public static ConfigMap configMap(
      String name, String namespace, Map<String, String> labels, Map<String, String> data) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .endMetadata()
        .withData(data)
        .build();
  }

  private static String text(String file) {
    try (InputStream in = PackagedFile.class.getResourceAsStream(FOLDER + file)) {
      if (in == null) {
        throw new IllegalStateException("the operator's jar lacks " + FOLDER + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file + " from the operator's jar", e);
    }
  }
}
