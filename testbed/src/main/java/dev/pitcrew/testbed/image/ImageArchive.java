package dev.pitcrew.testbed.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.image.Blobs.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One archive in two forms at once, as newer `docker save` writes it: an OCI image layout
/// (oci-layout, index.json), which containerd reads, and manifest.json of the Docker Image
/// Specification v1.2, which `docker load` reads. Both name the same files. Layers are not
/// compressed: who pushes them compresses them, and an archive on this machine is read faster.
final class ImageArchive {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int PLAIN = 0644;
  private static final int FOLDER = 0755;
  private static final String OCI = "application/vnd.oci.image.";
  private static final String EPOCH = "1970-01-01T00:00:00Z";

  private ImageArchive() {}

  static void write(Image image, Path archive) throws IOException {
    var folder = Files.createTempDirectory(archive.toAbsolutePath().getParent(), "image");
    var blobs = new Blobs(folder);
    try {
      var layers = new ArrayList<Descriptor>();
      for (var layer : image.layers()) {
        layers.add(blobs.add(OCI + "layer.v1.tar", out -> LayerTar.write(layer, out)));
      }
      var configuration = blobs.add(OCI + "config.v1+json", json(configuration(image, layers)));
      var manifest =
          blobs.add(OCI + "manifest.v1+json", json(manifest(image, configuration, layers)));
      try (var tar = new TarWriter(Blobs.buffered(archive))) {
        tar.folder("blobs", FOLDER);
        tar.folder("blobs/sha256", FOLDER);
        for (var file : blobs.files()) {
          tar.file(Blobs.PATH + file.getFileName(), PLAIN, file);
        }
        tar.file("index.json", PLAIN, json(index(image, manifest)));
        tar.file("manifest.json", PLAIN, json(dockerManifest(image, configuration, layers)));
        tar.file("oci-layout", PLAIN, json(Map.of("imageLayoutVersion", "1.0.0")));
      }
    } finally {
      for (var file : blobs.files()) {
        Files.delete(file);
      }
      Files.delete(folder);
    }
  }

  private static Map<String, Object> configuration(Image image, List<Descriptor> layers) {
    var process = new LinkedHashMap<String, Object>();
    process.put("User", image.user());
    process.put("Env", image.environmentLines());
    process.put("Entrypoint", image.entrypoint());
    process.put("Labels", image.labels());
    var contents = new LinkedHashMap<String, Object>();
    contents.put("type", "layers");
    contents.put("diff_ids", layers.stream().map(Descriptor::digest).toList());
    var configuration = new LinkedHashMap<String, Object>();
    configuration.put("created", EPOCH);
    configuration.put("architecture", Image.architecture());
    configuration.put("os", "linux");
    configuration.put("config", process);
    configuration.put("rootfs", contents);
    configuration.put("history", image.layers().stream().map(ImageArchive::history).toList());
    return configuration;
  }

  private static Map<String, Object> history(Layer layer) {
    var entry = new LinkedHashMap<String, Object>();
    entry.put("created", EPOCH);
    entry.put("created_by", layer.title());
    return entry;
  }

  private static Map<String, Object> manifest(
      Image image, Descriptor configuration, List<Descriptor> layers) {
    var manifest = new LinkedHashMap<String, Object>();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", OCI + "manifest.v1+json");
    manifest.put("config", configuration.json());
    manifest.put("layers", layers.stream().map(Descriptor::json).toList());
    manifest.put("annotations", image.labels());
    return manifest;
  }

  /// The name that containerd gives to what it imports is in an annotation of its own.
  private static Map<String, Object> index(Image image, Descriptor manifest) {
    var names = new LinkedHashMap<String, Object>();
    names.put("io.containerd.image.name", image.name());
    names.put("org.opencontainers.image.ref.name", tag(image.name()));
    var entry = new LinkedHashMap<>(manifest.json());
    entry.put("annotations", names);
    entry.put(
        "platform", new TreeMap<>(Map.of("architecture", Image.architecture(), "os", "linux")));
    var index = new LinkedHashMap<String, Object>();
    index.put("schemaVersion", 2);
    index.put("mediaType", OCI + "index.v1+json");
    index.put("manifests", List.of(entry));
    return index;
  }

  private static List<Map<String, Object>> dockerManifest(
      Image image, Descriptor configuration, List<Descriptor> layers) {
    var entry = new LinkedHashMap<String, Object>();
    entry.put("Config", configuration.path());
    entry.put("RepoTags", List.of(image.name()));
    entry.put("Layers", layers.stream().map(Descriptor::path).toList());
    return List.of(entry);
  }

  private static String tag(String name) {
    return name.substring(name.lastIndexOf(':') + 1);
  }

  private static byte[] json(Object document) throws IOException {
    return JSON.writeValueAsBytes(document);
  }
}
