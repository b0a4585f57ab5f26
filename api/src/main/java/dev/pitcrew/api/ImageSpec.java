package dev.pitcrew.api;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A container image as the resources name it: in parts, or as a full path in `image`.
public interface ImageSpec extends Section {

  /// Registry and path before the image's name.
  @Nullable String repository();

  /// The image's name, or its full path.
  @Nullable String image();

  /// A tag, or a digest that starts with `sha256:`.
  @Nullable String version();

  /// The pull policy as the user wrote it.
  @Nullable String imagePullPolicy();

  /// Names of the pull secrets in the operator's namespace.
  List<String> imagePullSecrets();

  /// The pull policy; whatever is no policy counts as `IfNotPresent`.
  default String imagePullPolicyOrDefault() {
    var policy = Objects.requireNonNullElse(imagePullPolicy(), "");
    return Set.of("Always", "Never").contains(policy) ? policy : "IfNotPresent";
  }
}
