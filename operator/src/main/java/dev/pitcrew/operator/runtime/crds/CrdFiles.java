package dev.pitcrew.operator.runtime.crds;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads definitions from YAML: all documents of a file, all `.yaml` and `.yml` files below a
/// folder. Other kinds are skipped.
final class CrdFiles {
  private static final Pattern DOCUMENT_START = Pattern.compile("(?m)^---(\\s.*)?$");

  private final KubernetesSerialization serialization;

  CrdFiles(KubernetesSerialization serialization) {
    this.serialization = serialization;
  }

  /// In the order of the paths, and by name within a folder.
  ///
  /// @throws CrdException when a path cannot be read or is no YAML
  List<CrdDocument> read(List<Path> paths) {
    return paths.stream().flatMap(path -> files(path).stream()).flatMap(this::read).toList();
  }

  /// @param origin for messages: where the text is from
  Stream<CrdDocument> parse(String yaml, String origin) {
    return DOCUMENT_START
        .splitAsStream(yaml)
        .filter(CrdFiles::hasContent)
        .map(document -> document(document, origin))
        .filter(document -> CrdDocument.KIND.equals(document.getKind()))
        .map(document -> definition(document, origin));
  }

  private static CrdDocument definition(GenericKubernetesResource document, String origin) {
    if (document.getMetadata() == null || document.getMetadata().getName() == null) {
      throw new CrdException(origin + " holds a definition without metadata.name");
    }
    return new CrdDocument(document);
  }

  private Stream<CrdDocument> read(Path file) {
    try {
      return parse(Files.readString(file), file.toString());
    } catch (IOException failure) {
      throw new CrdException("cannot read " + file + ": " + failure, failure);
    }
  }

  private GenericKubernetesResource document(String document, String origin) {
    try {
      return serialization.unmarshal(document, GenericKubernetesResource.class);
    } catch (RuntimeException invalid) {
      throw new CrdException(
          origin + " holds a document that is no Kubernetes object: " + invalid.getMessage(),
          invalid);
    }
  }

  private static List<Path> files(Path path) {
    if (!Files.exists(path)) {
      throw new CrdException(path + " does not exist; --filepath takes a file or a folder");
    }
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> tree = Files.walk(path)) {
      return tree.filter(Files::isRegularFile).filter(CrdFiles::isYaml).sorted().toList();
    } catch (IOException failure) {
      throw new CrdException("cannot list " + path + ": " + failure, failure);
    }
  }

  private static boolean isYaml(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }

  private static boolean hasContent(String document) {
    return document
        .lines()
        .map(String::strip)
        .anyMatch(line -> !line.isEmpty() && !line.startsWith("#"));
  }
}
