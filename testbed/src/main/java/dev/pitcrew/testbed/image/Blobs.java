package dev.pitcrew.testbed.image;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What an image consists of, each part a file that is named by its digest.
///
/// @param folder empty at first; who gives it removes it
record Blobs(Path folder) {
  static final String PATH = "blobs/sha256/";

  /// How one part names another (OCI Image Format, "Content Descriptors").
  record Descriptor(String mediaType, String hex, long bytes) {
    String digest() {
      return "sha256:" + hex;
    }

    String path() {
      return PATH + hex;
    }

    Map<String, Object> json() {
      var json = new LinkedHashMap<String, Object>();
      json.put("mediaType", mediaType);
      json.put("digest", digest());
      json.put("size", bytes);
      return json;
    }
  }

  /// Writes a part to a stream.
  @FunctionalInterface
  interface Source {
    void writeTo(OutputStream out) throws IOException;
  }

  Descriptor add(String mediaType, byte[] content) throws IOException {
    return add(mediaType, out -> out.write(content));
  }

  Descriptor add(String mediaType, Source source) throws IOException {
    var digest = sha256();
    var unnamed = folder.resolve("unnamed");
    try (var out = new DigestOutputStream(buffered(unnamed), digest)) {
      source.writeTo(out);
    }
    var hex = HexFormat.of().formatHex(digest.digest());
    Files.move(unnamed, folder.resolve(hex), StandardCopyOption.REPLACE_EXISTING);
    return new Descriptor(mediaType, hex, Files.size(folder.resolve(hex)));
  }

  /// In the order of their names.
  List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  static OutputStream buffered(Path file) throws IOException {
    return new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
