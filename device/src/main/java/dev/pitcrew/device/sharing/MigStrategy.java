package dev.pitcrew.device.sharing;

/// Under which resources MIG devices are offered; in lower case it is what configuration says.
public enum MigStrategy {
  /// MIG is ignored: a GPU is one device, divided or not.
  NONE,
  /// All GPUs are divided alike, and their MIG devices are `nvidia.com/gpu`.
  SINGLE,
  /// Each profile has a resource of its own.
  MIXED
}
