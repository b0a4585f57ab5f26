package dev.pitcrew.device.mig;

/// What a board is: PCI numbers as NVML packs them, the device above the vendor (nvmlPciInfo_t).
///
/// @param device such as `0x233010DE`
/// @param subsystem such as `0x16C110DE`
public record PciIds(int device, int subsystem) {

  /// The form of configuration files, such as `0x233010DE`.
  public String deviceText() {
    return text(device);
  }

  public static String text(int packed) {
    return "0x%08X".formatted(packed);
  }
}
