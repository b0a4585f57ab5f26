package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessFiguresTest {
  private static final String STAT =
      "7 (a) b) S 1 2 3 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 40 0 5 6 7";

  @Test
  void memoryProcessorTimeAndThreadsAreRead() {
    var status =
        List.of(
            "Name:\tjava",
            "VmHWM:\t  204800 kB",
            "VmRSS:\t  102400 kB",
            "RssAnon:\t 81920 kB",
            "Threads:\t22");
    assertThat(ProcessFigures.parse(status, STAT))
        .isEqualTo(new ProcessFigures(100, 80, 200, Duration.ofSeconds(3), 22));
  }

  @Test
  void aMissingFieldIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProcessFigures.parse(List.of("Name:\tjava"), STAT))
        .withMessageContaining("VmRSS");
  }

  @Test
  void aRunningProcessHasFigures() {
    var own = ProcessFigures.of(ProcessHandle.current().pid());
    assertThat(own.residentMib()).isBetween(own.anonymousMib(), own.peakMib());
    assertThat(own.cpu()).isPositive();
    assertThat(own.threads()).isPositive();
  }
}
