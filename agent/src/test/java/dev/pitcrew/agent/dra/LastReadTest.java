package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LastReadTest {
  private final AtomicLong nanos = new AtomicLong(7);
  private final LastRead<String> last = new LastRead<>(nanos::get);

  @Test
  void whatWasReadHoldsWhileTheAgentHasNvmlClosed() {
    assertThat(last.or(Optional.of("gpus"))).contains("gpus");
    last.close(true);
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(last.or(Optional.empty())).contains("gpus");
    last.close(false);
    nanos.addAndGet(Duration.ofSeconds(4).toNanos());
    assertThat(last.or(Optional.empty())).as("NVML is opened").contains("gpus");
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(last.or(Optional.empty())).as("the driver does not answer").isEmpty();
    assertThat(last.or(Optional.of("others"))).contains("others");
  }

  @Test
  void withoutAClaimThatClosesNvmlADriverThatDoesNotAnswerHasNoGpus() {
    assertThat(last.or(Optional.of("gpus"))).contains("gpus");
    assertThat(last.or(Optional.empty())).isEmpty();
  }
}
