package dev.pitcrew.device.dra;

/// The value of a device attribute (DeviceAttribute of resource.k8s.io/v1).
public sealed interface Attribute {
  /// The longest text and the longest version that the API server accepts, in bytes
  /// (DeviceAttributeMaxValueLength).
  int LONGEST = 64;

  record Text(String value) implements Attribute {}

  /// @param value a semantic version (semver.org, 2.0.0), such as `12.4.0`
  record Version(String value) implements Attribute {}

  record Whole(long value) implements Attribute {}

  record Flag(boolean value) implements Attribute {}
}
