package dev.pitcrew.device.inventory;

import java.util.Arrays;
import java.util.Optional;

/// How programs on the GPU address the memory of the host (nvmlDeviceAddressingModeType_t in
/// nvml.h).
public enum AddressingMode {
  NONE(0, "None"),
  /// Heterogeneous Memory Management of the kernel.
  HMM(1, "HMM"),
  /// Address Translation Services of the PCI bus or of NVLink-C2C.
  ATS(2, "ATS");

  private final int number;
  private final String words;

  AddressingMode(int number, String words) {
    this.number = number;
    this.words = words;
  }

  /// As nvidia-smi writes it.
  public String words() {
    return words;
  }

  /// Empty for a value of a newer driver.
  public static Optional<AddressingMode> of(int number) {
    return Arrays.stream(values()).filter(mode -> mode.number == number).findFirst();
  }
}
