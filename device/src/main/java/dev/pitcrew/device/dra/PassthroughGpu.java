package dev.pitcrew.device.dra;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/// A GPU on the PCI bus that a virtual machine can be given as a whole (VFIO), as sysfs shows it
/// whichever kernel driver has it.
///
/// @param index among the GPUs of the node in the order of their addresses
/// @param address such as `0000:3b:00.0`
/// @param vendor as sysfs writes it, such as `0x10de`
/// @param device likewise, such as `0x2330`
/// @param product of the list of PCI devices; empty where the node has none that names it
/// @param numaNode empty where the kernel knows none
/// @param root the PCIe root complex, such as `pci0000:3a`; empty where sysfs does not show it
/// @param addressableBytes of all its memory regions
/// @param iommuGroup its number; empty where the kernel has the device in none
/// @param hasIommuFd whether the kernel has `/dev/iommu`
public record PassthroughGpu(
    int index,
    String address,
    String vendor,
    String device,
    Optional<String> product,
    OptionalInt numaNode,
    Optional<String> root,
    long addressableBytes,
    OptionalInt iommuGroup,
    boolean hasIommuFd) {
  private static final String PREFIX = "gpu-vfio-";

  /// The name space for domain names (RFC 9562, 6.6).
  private static final UUID DOMAIN_NAMES = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");

  private static final int VERSION_BYTE = 6;
  private static final int VERSION_5 = 0x50;
  private static final int VARIANT_BYTE = 8;
  private static final int VARIANT = 0x80;
  private static final int FOUR_BITS = 0x0f;
  private static final int SIX_BITS = 0x3f;

  /// Of the device in the pool of the node.
  public String name() {
    return PREFIX + index;
  }

  /// Whether a device of this name is one for virtual machines.
  public static boolean isName(String device) {
    return device.startsWith(PREFIX);
  }

  /// As NVIDIA's DRA driver makes it: of version 5 (RFC 9562, 5.5), from the address.
  public String uuid() {
    byte[] hash = sha1(address);
    hash[VERSION_BYTE] = (byte) ((hash[VERSION_BYTE] & FOUR_BITS) | VERSION_5);
    hash[VARIANT_BYTE] = (byte) ((hash[VARIANT_BYTE] & SIX_BITS) | VARIANT);
    ByteBuffer halves = ByteBuffer.wrap(hash);
    return new UUID(halves.getLong(), halves.getLong()).toString();
  }

  private static byte[] sha1(String name) {
    try {
      var digest = MessageDigest.getInstance("SHA-1");
      digest.update(
          ByteBuffer.allocate(Long.BYTES * 2)
              .putLong(DOMAIN_NAMES.getMostSignificantBits())
              .putLong(DOMAIN_NAMES.getLeastSignificantBits())
              .array());
      return digest.digest(name.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each Java platform has it
    }
  }
}
