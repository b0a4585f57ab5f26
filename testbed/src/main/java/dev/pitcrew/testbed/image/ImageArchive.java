package dev.pitcrew.testbed.image;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The form that `docker save` writes: manifest.json, a configuration named by its digest, and the
/// layer. Docker Image Specification v1.2, "Combined Image JSON + Filesystem Changeset Format".
final class ImageArchive {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int PLAIN = 0644;
  private static final int EXECUTABLE = 0755;

  private ImageArchive() {}

  static void write(Image image, Path archive) throws IOException {
    var layer = archive.resolveSibling(archive.getFileName() + ".layer");
    try {
      var layerDigest = writeLayer(image, layer);
      var configuration = JSON.writeValueAsBytes(configuration(image, layerDigest));
      var configurationName = hex(sha256().digest(configuration)) + ".json";
      try (var tar = new TarWriter(buffered(archive))) {
        tar.file(configurationName, PLAIN, configuration);
        tar.file("layer.tar", PLAIN, layer);
        tar.file("manifest.json", PLAIN, manifest(image, configurationName));
      }
    } finally {
      Files.deleteIfExists(layer);
    }
  }

  private static byte[] manifest(Image image, String configurationName) throws IOException {
    var entry = new LinkedHashMap<String, Object>();
    entry.put("Config", configurationName);
    entry.put("RepoTags", List.of(image.name()));
    entry.put("Layers", List.of("layer.tar"));
    return JSON.writeValueAsBytes(List.of(entry));
  }

  private static Map<String, Object> configuration(Image image, String layerDigest) {
    var process = new LinkedHashMap<String, Object>();
    process.put("User", image.user());
    process.put("Env", image.environmentLines());
    process.put("Entrypoint", image.entrypoint());
    var layers = new LinkedHashMap<String, Object>();
    layers.put("type", "layers");
    layers.put("diff_ids", List.of("sha256:" + layerDigest));
    var configuration = new LinkedHashMap<String, Object>();
    configuration.put("created", "1970-01-01T00:00:00Z");
    configuration.put("architecture", architecture());
    configuration.put("os", "linux");
    configuration.put("config", process);
    configuration.put("rootfs", layers);
    return configuration;
  }

  /// Returns the digest of the layer.
  private static String writeLayer(Image image, Path layer) throws IOException {
    var digest = sha256();
    try (var tar = new TarWriter(new DigestOutputStream(buffered(layer), digest))) {
      var folders = new HashSet<String>();
      for (var content : image.contents().entrySet()) {
        addParents(Path.of(content.getKey()), folders, tar);
        add(content.getKey(), content.getValue(), folders, tar);
      }
    }
    return hex(digest.digest());
  }

  private static void addParents(Path target, Set<String> folders, TarWriter tar)
      throws IOException {
    for (var depth = 1; depth < target.getNameCount(); depth++) {
      addFolder("/" + target.subpath(0, depth), folders, tar);
    }
  }

  private static void addFolder(String target, Set<String> folders, TarWriter tar)
      throws IOException {
    if (!target.equals("/") && folders.add(target)) {
      tar.folder(relative(target), EXECUTABLE);
    }
  }

  private static void add(String target, Path source, Set<String> folders, TarWriter tar)
      throws IOException {
    if (Files.isSymbolicLink(source)) {
      tar.link(relative(target), Files.readSymbolicLink(source).toString());
    } else if (Files.isDirectory(source, LinkOption.NOFOLLOW_LINKS)) {
      addFolder(target, folders, tar);
    } else {
      tar.file(relative(target), Files.isExecutable(source) ? EXECUTABLE : PLAIN, source);
    }
  }

  private static String relative(String target) {
    return target.substring(1);
  }

  /// As Go names the processor.
  private static String architecture() {
    return switch (System.getProperty("os.arch", "")) {
      case "aarch64" -> "arm64";
      default -> "amd64";
    };
  }

  private static OutputStream buffered(Path file) throws IOException {
    return new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
  }

  private static String hex(byte[] digest) {
    return HexFormat.of().formatHex(digest);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
