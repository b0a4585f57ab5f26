package dev.pitcrew.agent.labels;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;

/// The driver of the host below a virtual GPU, which the vendor-specific PCI capability of the
/// virtual function tells.
///
/// @param version empty where the capability has no record of the driver
record HostDriver(Optional<Release> version) {
  record Release(String version, String branch) {}

  private static final int STATUS = 0x06;
  private static final int HAS_CAPABILITIES = 0x10;
  private static final int FIRST_CAPABILITY = 0x34;
  private static final int NO_CAPABILITY = 0xff;
  private static final int VENDOR_SPECIFIC = 0x09;
  private static final int SIGNATURE = 3;
  private static final int RECORDS = 5;
  private static final int RECORD_HEADER = 2;
  private static final int TEXT_LENGTH = 10;

  /// Empty where the function is no virtual GPU.
  static Optional<HostDriver> of(PciConfigSpace space) {
    return capability(space).filter(start -> isVirtualGpu(space, start)).map(at -> read(space, at));
  }

  private static Optional<Integer> capability(PciConfigSpace space) {
    if ((space.at(STATUS) & HAS_CAPABILITIES) == 0) {
      return Optional.empty();
    }
    var visited = new HashSet<Integer>();
    int at = space.at(FIRST_CAPABILITY);
    while (at != 0 && visited.add(at) && space.at(at) != NO_CAPABILITY) {
      if (space.at(at) == VENDOR_SPECIFIC) {
        return Optional.of(at);
      }
      at = space.at(at + 1);
    }
    return Optional.empty();
  }

  private static boolean isVirtualGpu(PciConfigSpace space, int start) {
    return space.at(start + 2) >= RECORDS
        && space.at(start + SIGNATURE) == 'V'
        && space.at(start + SIGNATURE + 1) == 'F';
  }

  /// Records follow each other until the one of the driver, whose type is 0. One that says it has no
  /// length would lead nowhere.
  private static HostDriver read(PciConfigSpace space, int start) {
    int end = Math.min(start + space.at(start + 2), space.size());
    int at = start + RECORDS;
    while (at + 1 < end && space.at(at) != 0 && space.at(at + 1) > 0) {
      at += space.at(at + 1);
    }
    boolean found = at + RECORD_HEADER + 2 * TEXT_LENGTH <= end && space.at(at) == 0;
    return new HostDriver(found ? Optional.of(release(space, at)) : Optional.empty());
  }

  private static Release release(PciConfigSpace space, int record) {
    int version = record + RECORD_HEADER;
    return new Release(text(space, version), text(space, version + TEXT_LENGTH));
  }

  private static String text(PciConfigSpace space, int start) {
    var bytes = new byte[TEXT_LENGTH];
    for (int i = 0; i < TEXT_LENGTH; i++) {
      bytes[i] = (byte) space.at(start + i);
    }
    return new String(bytes, StandardCharsets.ISO_8859_1).replace("\0", "");
  }
}
