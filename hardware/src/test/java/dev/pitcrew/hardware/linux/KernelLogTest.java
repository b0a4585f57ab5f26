package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelLogTest {
  private static final int EAGAIN = 11;
  private static final int EINVAL = 22;

  @TempDir private Path root;
  private final List<KernelRecord> read = new ArrayList<>();

  @Test
  void messagesComeWithoutTheirHeadsAndProperties() throws IOException {
    Files.createDirectory(root.resolve("dev"));
    Files.writeString(
        root.resolve("dev/kmsg"),
        """
        6,1,10,-;Linux version 6.8; built
         SUBSYSTEM=pci
        5,2,20,-;nvidia: module with unavailable key is rejected
        13,3,30,-;nvidia: module with unavailable key is rejected, says a process
        """);

    assertThat(KernelLog.messages(new HostRoot(root)))
        .containsExactly(
            "Linux version 6.8; built", "nvidia: module with unavailable key is rejected");
  }

  @Test
  void logThatIsNotThereSaysNothing() {
    var host = new HostRoot(root);
    assertThat(KernelLog.messages(host)).isEmpty();
    assertThatThrownBy(() -> KernelLog.open(host))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/dev/kmsg: no such file (ENOENT)");
  }

  @Test
  void readingTakesNoMoreThanItMayAndGoesOnWhereItWas() {
    var ring = new RecordRing(8);
    for (int i = 0; i < 5; i++) {
      ring.write(4, "line " + i);
    }
    try (var log = new KernelLog(ring)) {
      assertThat(log.read(3, read::add)).isEqualTo(new KernelLog.Progress(false, false, ""));
      assertThat(read).extracting(KernelRecord::sequence).containsExactly(0L, 1L, 2L);

      assertThat(log.read(3, read::add)).isEqualTo(new KernelLog.Progress(true, false, ""));
      assertThat(read).hasSize(5);
    }
  }

  @Test
  void recordsThatWereOverwrittenAreAGapAndTheRestIsRead() {
    var ring = new RecordRing(4);
    ring.write(4, "first");
    try (var log = new KernelLog(ring)) {
      log.read(10, read::add);
      for (int i = 0; i < 10; i++) {
        ring.write(4, "storm " + i);
      }

      assertThat(log.read(10, read::add)).isEqualTo(new KernelLog.Progress(true, true, ""));
      assertThat(read).extracting(KernelRecord::sequence).containsExactly(0L, 7L, 8L, 9L, 10L);
    }
  }

  @Test
  void theLongestRecordFits() {
    var ring = new RecordRing(4);
    ring.write(4, "x".repeat(RecordRing.LONGEST - "4,0,0,c;\n".length()));
    try (var log = new KernelLog(ring)) {
      assertThat(log.read(10, read::add).problem()).isEmpty();
      assertThat(read).hasSize(1);
    }
  }

  @Test
  void deviceThatFailsIsNamed() {
    var ring = new RecordRing(4);
    ring.fail(EINVAL);
    try (var log = new KernelLog(ring)) {
      assertThat(log.read(10, read::add))
          .isEqualTo(new KernelLog.Progress(true, false, "/dev/kmsg: errno 22"));
    }
  }

  /// What [RecordRing] assumes of the device, on the kernel of this machine.
  @Test
  void kernelAnswersAsTheSimulatedRingDoes() {
    try (var arena = Arena.ofConfined()) {
      var state = arena.allocate(Libc.ERRNO_STATE);
      int file = Libc.open(arena.allocateFrom("/dev/kmsg"), 0x80800, state);
      assumeThat(file).as("/dev/kmsg can be opened").isNotNegative();
      try {
        assertThat(Libc.read(file, arena.allocate(4), state)).isEqualTo(-EINVAL);
        var buffer = arena.allocate(8192);
        long size = Libc.read(file, buffer, state);
        assertThat(size).isPositive();
        for (int i = 0; size > 0 && i < KernelLog.MOST_RECORDS; i++) {
          size = Libc.read(file, buffer, state);
        }
        assertThat(size).isEqualTo(-EAGAIN);
      } finally {
        Libc.close(file);
      }
    }
  }

  /// A program that may write to the device can write anything, under any facility.
  @Test
  void recordOfAProcess_isNotOfTheKernel() throws IOException {
    var device = Path.of("/dev/kmsg");
    assumeThat(Files.isWritable(device) && Files.isReadable(device)).isTrue();
    String mark = UUID.randomUUID().toString();
    for (String prefix : List.of("", "<0>", "<3>", "<4>")) {
      Files.writeString(
          device,
          prefix + "NVRM: Xid (PCI:0000:3b:00): 79, a test of facilities " + mark,
          StandardOpenOption.WRITE);
    }

    try (var log = KernelLog.open(new HostRoot(Path.of("/")))) {
      log.read(KernelLog.MOST_RECORDS, read::add);
    }

    List<KernelRecord> written = read.stream().filter(it -> it.message().contains(mark)).toList();
    assumeThat(written).as("kernel.printk_devkmsg lets processes write").isNotEmpty();
    assertThat(written).noneMatch(KernelRecord::isOfKernel);
    assertThat(KernelLog.messages(new HostRoot(Path.of("/")))).noneMatch(it -> it.contains(mark));
    assertThat(read).anyMatch(KernelRecord::isOfKernel);
  }
}
