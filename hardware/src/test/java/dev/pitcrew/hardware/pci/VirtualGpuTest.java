package dev.pitcrew.hardware.pci;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class VirtualGpuTest {
  private final byte[] space = new byte[256];

  @Test
  void hostDriverIsReadFromTheCapability() {
    capabilityAt(0x40, 27);
    record(0x45, 0, 22);
    text(0x47, "460.16");
    text(0x51, "r460_00");

    assertThat(VirtualGpu.in(space)).isEqualTo(new VirtualGpu.Present("460.16", "r460_00"));
  }

  @Test
  void otherRecordsAreSteppedOver() {
    capabilityAt(0x40, 31);
    record(0x45, 1, 4);
    record(0x49, 0, 22);
    text(0x4b, "580.1");
    text(0x55, "r580_00");

    assertThat(VirtualGpu.in(space)).isEqualTo(new VirtualGpu.Present("580.1", "r580_00"));
  }

  @Test
  void anotherVendorCapabilityIsNoVirtualGpu() {
    capabilityAt(0x40, 20);
    space[0x43] = 0;

    assertThat(VirtualGpu.in(space)).isEqualTo(new VirtualGpu.Absent());
  }

  @Test
  void withoutCapabilitiesThereIsNone() {
    assertThat(VirtualGpu.in(space)).isEqualTo(new VirtualGpu.Absent());
  }

  @Test
  void aCircleOfCapabilitiesEnds() {
    space[0x06] = 0x10;
    space[0x34] = 0x40;
    space[0x40] = 0x01;
    space[0x41] = 0x50;
    space[0x50] = 0x05;
    space[0x51] = 0x40;

    assertThat(VirtualGpu.in(space)).isEqualTo(new VirtualGpu.Absent());
  }

  @Test
  void recordsWithoutLengthEnd() {
    capabilityAt(0x40, 27);
    record(0x45, 3, 0);

    assertThat(VirtualGpu.in(space)).isInstanceOf(VirtualGpu.Unknown.class);
  }

  @Test
  void aRecordThatRunsOverTheEndIsUnknown() {
    capabilityAt(0xf0, 255);

    assertThat(VirtualGpu.in(space)).isInstanceOf(VirtualGpu.Unknown.class);
  }

  @Test
  void withoutPrivilegeNothingIsKnown() {
    assertThat(VirtualGpu.in(new byte[64]))
        .isEqualTo(new VirtualGpu.Unknown("only 64 bytes of the configuration space can be read"));
  }

  private void capabilityAt(int place, int length) {
    space[0x06] = 0x10;
    space[0x34] = (byte) place;
    space[place] = 0x09;
    space[place + 2] = (byte) length;
    space[place + 3] = 'V';
    space[place + 4] = 'F';
  }

  private void record(int place, int type, int length) {
    space[place] = (byte) type;
    space[place + 1] = (byte) length;
  }

  private void text(int place, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, space, place, bytes.length);
  }
}
