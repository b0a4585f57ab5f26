package dev.pitcrew.image;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The bill of materials of an image, in CycloneDX 1.6. The same contents give the same text, so it
/// has neither a time nor a serial number.
///
/// @param name of the image
/// @param components what it holds
record Sbom(String name, String version, List<Component> components) {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /// @param packageUrl as purl-spec says
  /// @param file the one whose digest stands for it
  record Component(String type, String name, String version, String packageUrl, Path file) {

    static Component jar(Path jar, Map<String, Coordinates> known) {
      var name = jar.getFileName().toString();
      var coordinates = known.get(name);
      if (coordinates == null) {
        throw new ImageException(
            "Maven does not say whose %s is: run 'make clean build'".formatted(jar));
      }
      return new Component(
          "library",
          coordinates.group() + ":" + coordinates.artifact(),
          coordinates.version(),
          coordinates.packageUrl(),
          jar);
    }

    /// What no registry of packages has.
    static Component generic(String type, String name, String version, Path file) {
      var url = "pkg:generic/%s@%s".formatted(name, version.replace("+", "%2B"));
      return new Component(type, name, version, url, file);
    }

    private Map<String, Object> json() {
      var json = new LinkedHashMap<String, Object>();
      json.put("type", type);
      json.put("bom-ref", packageUrl);
      json.put("name", name);
      json.put("version", version);
      json.put("purl", packageUrl);
      // The order of Map.of differs from JVM to JVM, and with it the image.
      json.put("hashes", List.of(new TreeMap<>(Map.of("alg", "SHA-256", "content", sha256(file)))));
      return json;
    }
  }

  byte[] json() {
    var subject = new LinkedHashMap<String, Object>();
    subject.put("type", "container");
    subject.put("bom-ref", name);
    subject.put("name", name);
    subject.put("version", version);
    var json = new LinkedHashMap<String, Object>();
    json.put("bomFormat", "CycloneDX");
    json.put("specVersion", "1.6");
    json.put("version", 1);
    json.put("metadata", Map.of("component", subject));
    json.put("components", components.stream().map(Component::json).toList());
    try {
      return JSON.writeValueAsBytes(json);
    } catch (IOException e) {
      throw new UncheckedIOException("write the bill of materials", e);
    }
  }

  static String sha256(Path file) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      try (var out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        Files.copy(file, out);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
