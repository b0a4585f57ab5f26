package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Lines as open-gpu-kernel-modules formats them, and as tests of DCGM and gpud quote them.
class DriverMessageTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus. | 0000:3b:00.0 | 79",
        "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus. | 0000:01:00.0 | 79",
        "NVRM: Xid (PCI:0000:00:16): 119, pid=36055, name=dcgm-exporter, Timeout after 6s | 0000:00:16.0 | 119",
        "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x0) | 0009:01:00.0 | 149",
        "NVRM: Xid (PCI:10000:e1:00): 48, pid=1, name=x): 13, y | 10000:e1:00.0 | 48",
      })
  void xidOfAWholeGpu(String line, String address, long number) {
    assertThat(DriverMessage.of(line))
        .contains(new DriverMessage.Xid(address, number, OptionalInt.empty(), OptionalInt.empty()));
  }

  @Test
  void xidOfAPart() {
    assertThat(
            DriverMessage.of(
                "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, Contained: CE User Channel"))
        .contains(
            new DriverMessage.Xid("0000:01:00.0", 94, OptionalInt.of(5), OptionalInt.empty()));
    assertThat(
            DriverMessage.of("NVRM: Xid (PCI:0000:01:00 GPU-I:13 GPU-CI:02): 43, pid=7, name=x, y"))
        .contains(new DriverMessage.Xid("0000:01:00.0", 43, OptionalInt.of(13), OptionalInt.of(2)));
  }

  @Test
  void errorOfASwitch() {
    assertThat(
            DriverMessage.of(
                "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)"))
        .contains(
            new DriverMessage.SwitchError(
                "0000:05:00.0", 12028, false, "Link 32 egress non-posted PRIV error (First)"));
    assertThat(
            DriverMessage.of(
                "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"))
        .contains(
            new DriverMessage.SwitchError("0000:c1:00.0", 20034, true, "Link 30 LTSSM Fault Up"));
  }

  @Test
  void loadOfTheDriver() {
    assertThat(
            DriverMessage.of(
                "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build"))
        .contains(new DriverMessage.Loading());
  }

  /// A process may be called anything of 15 bytes, and the kernel names it in lines of its own.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "NVRM: Xid (PCI:[4711]: segfault at 0 ip 0000000000401136 sp 00007ffd0 error 6 in x[401000+1000]",
        "traps: NVRM: Xid (PCI:0000:3b:00): 79, x",
        "NVRM: GPU at PCI:0000:3b:00: GPU-12345678-1234-1234-1234-123456780000",
        "NVRM: Xid (0000:03:00): 14, Channel 00000001",
        "NVRM: Xid (PCI:0000:3b:00)",
        "NVRM: Xid (PCI:0000:3b:00): 79",
        "NVRM: Xid (PCI:0000:3b:00): 4294967295999, x",
        "NVRM: Xid (PCI:0000:3b:00 GPU-I:99999999): 79, x",
        "NVRM: Xid (PCI:0000:3b:00 GPU-CI:01): 79, x",
        "nvidia-nvswitch2: open (major=510)",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 10002, Severity 5 Engine instance 00 Sub-engine instance 00",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 20034, Data {0x50610002, 0x10100030}",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00.0): 11009, Correctable, Link 04 x",
        "nvidia-nvswitch2: SXid (PCI:0000:c4:00): 20034, Fatal, Link 04 x"
      })
  void otherLinesAreNothing(String line) {
    assertThat(DriverMessage.of(line)).isEmpty();
  }
}
