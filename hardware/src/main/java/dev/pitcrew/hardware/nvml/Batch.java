package dev.pitcrew.hardware.nvml;

/// Many numbers that one call reads.
interface Batch {
  /// @return nvmlReturn_t of the call; each number has one of its own
  int call(DeviceHandle gpu);

  /// nvmlReturn_t of one number, by its place among those that were asked for.
  int returned(int number);

  /// A number whose [#returned] is success; not a number where its type is none that we know.
  double value(int number);
}
