package dev.pitcrew.image;

import java.util.regex.Pattern;

/// Where images are pushed to: a host, maybe with a port, and a path, such as
/// `registry.example.com:5000/gpu`.
record Registry(String name) {
  /// As the distribution project writes names of images, without tag and digest.
  private static final Pattern NAME =
      Pattern.compile("[a-zA-Z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)*");

  private static final Pattern LOOPBACK = Pattern.compile("(localhost|127\\.0\\.0\\.1)(:.*|/.*)?");

  /// @throws ImageException if `text` is no name of a registry
  static Registry of(String text) {
    var name = text.strip();
    if (!NAME.matcher(name).matches()) {
      throw new ImageException(
          "REGISTRY is \"%s\": give host and path without a scheme, a tag or capital letters in the path, such as registry.example.com:5000/gpu"
              .formatted(text));
    }
    return new Registry(name);
  }

  /// Clients of registries speak HTTP with the machine that they run on.
  boolean isLoopback() {
    return LOOPBACK.matcher(name).matches();
  }

  String image(String version) {
    return name + "/pitcrew:" + version;
  }

  /// The chart has the name of the image, so it lies below a path of its own.
  String charts() {
    return "oci://" + name + "/charts";
  }
}
