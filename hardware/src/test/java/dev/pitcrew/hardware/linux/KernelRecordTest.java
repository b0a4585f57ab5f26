package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelRecordTest {

  /// As a test of DCGM has it (DcgmKmsgReaderTests.cpp): the driver's lines are continuations.
  @Test
  void lineOfTheDriverIsOfTheKernel() {
    assertThat(
            KernelRecord.parse(
                "4,1227,437812449,c;NVRM: Xid (PCI:0000:01:00): 43, pid=1814139, name=cuda; x"))
        .contains(
            new KernelRecord(
                4,
                1227,
                Duration.ofNanos(437_812_449_000L),
                "NVRM: Xid (PCI:0000:01:00): 43, pid=1814139, name=cuda; x"))
        .hasValueSatisfying(it -> assertThat(it.isOfKernel()).isTrue());
  }

  @ParameterizedTest
  @CsvSource({"0,true", "7,true", "8,false", "11,false", "12,false", "30,false", "2047,false"})
  void onlyFacilityZeroIsTheKernel(int priority, boolean isOfKernel) {
    assertThat(KernelRecord.parse(priority + ",1,2,-;x"))
        .hasValueSatisfying(it -> assertThat(it.isOfKernel()).isEqualTo(isOfKernel));
  }

  /// CONFIG_PRINTK_CALLER adds one; there may be more.
  @Test
  void moreFieldsArePassedOver() {
    assertThat(KernelRecord.parse("3,5,6,-,caller=T123,more;text"))
        .hasValueSatisfying(it -> assertThat(it.message()).isEqualTo("text"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " SUBSYSTEM=pci",
        "NVRM: Xid (PCI:0000:01:00): 79, x",
        "0,1,-;NVRM: no time",
        "x,1,2,-;text",
        "-1,1,2,-;text",
        "0,99999999999999999999,2,-;text",
        "0,1,9223372036854775807,-;text"
      })
  void invalidRecord_isIgnored(String line) {
    assertThat(KernelRecord.parse(line)).isEmpty();
  }
}
