package dev.pitcrew.testbed.binaries;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/// A published file and the document of its release site that names its SHA-256: a bare digest, a
/// list of `digest file name`, or the JSON of a GitHub release, whose assets have `digest`.
record Release(URI file, URI checksums) {
  private static final String DIGEST = "[0-9a-f]{64}";

  boolean isArchive() {
    return file.getPath().endsWith(".tar.gz") || file.getPath().endsWith(".tgz");
  }

  /// The SHA-256 of this file, in lower-case hex.
  Optional<String> checksumIn(String document) {
    if (document.strip().matches(DIGEST)) {
      return Optional.of(document.strip());
    }
    return document.stripLeading().startsWith("{") ? assetDigest(document) : listed(document);
  }

  private Optional<String> listed(String document) {
    var line = "(?m)^(" + DIGEST + ")\\s+\\*?(?:\\./)?" + Pattern.quote(fileName()) + "$";
    return Pattern.compile(line).matcher(document).results().map(m -> m.group(1)).findFirst();
  }

  private Optional<String> assetDigest(String document) {
    try {
      return new JsonMapper()
          .readTree(document)
          .path("assets")
          .valueStream()
          .filter(asset -> asset.path("name").asText().equals(fileName()))
          .map(asset -> asset.path("digest").asText())
          .filter(digest -> digest.matches("sha256:" + DIGEST))
          .map(digest -> digest.substring("sha256:".length()))
          .findFirst();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private String fileName() {
    return file.getPath().substring(file.getPath().lastIndexOf('/') + 1);
  }
}
