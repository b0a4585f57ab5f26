package dev.pitcrew.hardware.pci;

import dev.pitcrew.hardware.pci.VirtualGpu.Absent;
import dev.pitcrew.hardware.pci.VirtualGpu.Present;
import dev.pitcrew.hardware.pci.VirtualGpu.Unknown;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.OptionalInt;

/// The bytes of a PCI function's configuration space. Whatever is in them, each walk ends: no
/// capability is looked at twice and every record moves on.
final class ConfigurationSpace {
  static final int STANDARD_SIZE = 256;
  private static final int STATUS = 0x06;
  private static final int HAS_CAPABILITIES = 0x10;
  private static final int FIRST_CAPABILITY = 0x34;
  private static final int VENDOR_SPECIFIC = 0x09;
  private static final int NO_CAPABILITY = 0xff;
  private static final int SHORTEST = 5;
  private static final int RECORD_HEADER = 2;
  private static final int TEXT_LENGTH = 10;
  private static final int VERSION_RECORD = 0;

  private final byte[] space;

  ConfigurationSpace(byte[] space) {
    this.space = space;
  }

  VirtualGpu virtualGpu() {
    var capability = vendorCapability();
    return capability.isPresent() ? virtualGpu(capability.getAsInt()) : new Absent();
  }

  private OptionalInt vendorCapability() {
    if ((at(STATUS) & HAS_CAPABILITIES) == 0) {
      return OptionalInt.empty();
    }
    var seen = new BitSet(STANDARD_SIZE);
    int place = at(FIRST_CAPABILITY);
    while (place != 0 && !seen.get(place) && at(place) != NO_CAPABILITY) {
      if (at(place) == VENDOR_SPECIFIC) {
        return OptionalInt.of(place);
      }
      seen.set(place);
      place = at(place + 1);
    }
    return OptionalInt.empty();
  }

  private VirtualGpu virtualGpu(int start) {
    int length = at(start + 2);
    if (length < SHORTEST || at(start + 3) != 'V' || at(start + 4) != 'F') {
      return new Absent();
    }
    int end = Math.min(start + length, space.length);
    int record = start + SHORTEST;
    while (record + RECORD_HEADER <= end && at(record) != VERSION_RECORD) {
      if (at(record + 1) == 0) {
        return new Unknown("a record of the vGPU capability has no length");
      }
      record += at(record + 1);
    }
    return record + RECORD_HEADER + 2 * TEXT_LENGTH <= end
        ? new Present(text(record + RECORD_HEADER), text(record + RECORD_HEADER + TEXT_LENGTH))
        : new Unknown("the vGPU capability has no record of the host's driver");
  }

  private String text(int start) {
    int end = start;
    while (end < start + TEXT_LENGTH && space[end] != 0) {
      end++;
    }
    return new String(space, start, end - start, StandardCharsets.US_ASCII);
  }

  private int at(int place) {
    return place < space.length ? Byte.toUnsignedInt(space[place]) : 0;
  }
}
