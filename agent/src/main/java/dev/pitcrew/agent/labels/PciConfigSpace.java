package dev.pitcrew.agent.labels;

import java.util.Optional;

/// The configuration space of a PCI function, as `/sys/bus/pci/devices/<address>/config` shows it.
public final class PciConfigSpace {
  /// Without privileges the kernel shows fewer bytes, and none of the capabilities.
  private static final int WHOLE = 256;

  private final byte[] bytes;

  private PciConfigSpace(byte[] bytes) {
    this.bytes = bytes;
  }

  /// Empty where the bytes are not the whole space.
  public static Optional<PciConfigSpace> of(byte[] bytes) {
    return bytes.length < WHOLE
        ? Optional.empty()
        : Optional.of(new PciConfigSpace(bytes.clone()));
  }

  /// The byte at `offset`; 0 behind the end.
  int at(int offset) {
    return offset < bytes.length ? Byte.toUnsignedInt(bytes[offset]) : 0;
  }

  int size() {
    return bytes.length;
  }
}
