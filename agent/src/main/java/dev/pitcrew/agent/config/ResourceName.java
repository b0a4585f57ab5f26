package dev.pitcrew.agent.config;

import java.util.Optional;
import java.util.regex.Pattern;

/// The name under which devices are offered to the kubelet.
///
/// @param full with the vendor, such as `nvidia.com/gpu`
public record ResourceName(String full) {
  public static final String PREFIX = "nvidia.com/";
  static final String VALID =
      "give a name such as nvidia.com/gpu: lower-case letters, digits, '-' and '.', at most 63 with"
          + " nvidia.com/";
  private static final String SHARED_SUFFIX = ".shared";
  private static final int LONGEST = 63;

  /// A DNS subdomain (RFC 1123).
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  /// Reads a name with or without the vendor; empty where it cannot be a resource.
  public static Optional<ResourceName> parse(String text) {
    String full = text.startsWith(PREFIX) ? text : PREFIX + text;
    String name = full.substring(PREFIX.length());
    return full.length() <= LONGEST && NAME.matcher(name).matches()
        ? Optional.of(new ResourceName(full))
        : Optional.empty();
  }

  /// The name of its replicas where they are renamed by default.
  public String shared() {
    return full + SHARED_SUFFIX;
  }
}
