package dev.pitcrew.device.inventory;

/// The shape of a MIG device, such as `1g.5gb`, `1c.3g.20gb` or `1g.10gb+me`.
///
/// @param attribute what is special about it with its sign, such as `+me`, `-me`, `+me.all` or
///   `+gfx`; mostly an empty text
public record MigProfile(int computeSlices, int gpuSlices, int memoryGigabytes, String attribute) {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final double EIGHTH = 8.0;

  /// How NVIDIA's tools write it.
  public String name() {
    String slices =
        computeSlices == gpuSlices ? gpuSlices + "g" : computeSlices + "c." + gpuSlices + "g";
    return slices + "." + memoryGigabytes + "gb" + attribute;
  }

  /// Whether the whole GPU instance belongs to one compute instance. Only such a profile has a
  /// resource of its own.
  public boolean isWhole() {
    return computeSlices == gpuSlices;
  }

  /// The name without characters that labels and resource names cannot have.
  public String dottedName() {
    return name().replace('+', '.');
  }

  /// The gigabytes in a profile's name: the share of the GPU's memory, rounded up to an eighth, of
  /// its memory in whole GiB.
  ///
  /// @param instanceMiB the memory of the GPU instance, in MiB
  /// @param gpuBytes the whole memory of the GPU, in bytes
  public static int gigabytes(long instanceMiB, long gpuBytes) {
    double share = Math.ceil((double) instanceMiB * MIB / gpuBytes * EIGHTH) / EIGHTH;
    return (int) Math.round(share * Math.ceilDiv(gpuBytes, GIB));
  }

  @Override
  public String toString() {
    return name();
  }
}
