package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {
  private static final String THREADS = "lane-test";

  private final CallThreads threads = new CallThreads(THREADS);
  private final Lane lane = lane(Duration.ofMillis(400));
  private final CountDownLatch hanging = new CountDownLatch(1);

  @AfterEach
  void end() {
    hanging.countDown();
    lane.close();
  }

  @Test
  void lanesWhoseCallsReturn_shareOnePlatformThread() {
    try (var other = lane(Duration.ofMillis(400))) {
      var first = lane.ask("thread", () -> Answer.of(Thread.currentThread()));
      var second = other.ask("thread", () -> Answer.of(Thread.currentThread()));

      assertThat(first).isEqualTo(second);
      assertThat(first.toOptional().orElseThrow().isVirtual()).isFalse();
    }
  }

  @Test
  void callsOfOneLane_areMadeOneAfterTheOther() {
    var atOnce = new AtomicInteger();
    var most = new AtomicInteger();
    var jobs =
        IntStream.range(0, 10)
            .mapToObj(_ ->
                lane.begin(
                    "counting",
                    () -> {
                      most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                      return Answer.of(atOnce.decrementAndGet());
                    }))
            .toList();

    jobs.forEach(Job::await);
    assertThat(most).hasValue(1);
  }

  @Test
  void callBehindCallsThatHang_isMade() {
    try (var other = hangOnOtherLanes()) {
      assertThat(other.ask("behind them", () -> Answer.of(true))).isEqualTo(Answer.of(true));
    }
  }

  @Test
  void threadsThatCallsThatHangTook_endWithThem() {
    try (var other = hangOnOtherLanes()) {
      other.ask("behind them", () -> Answer.of(true));
      assertThat(threadsOfCalls()).isGreaterThan(1);
    }
    hanging.countDown();

    await().until(() -> threadsOfCalls() <= 1);
  }

  /// @return a lane on which nothing hangs
  private Lane hangOnOtherLanes() {
    for (int i = 0; i < 4; i++) {
      lane(Duration.ofSeconds(30)).begin("hanging", this::hang);
    }
    return lane(Duration.ofSeconds(30));
  }

  private Lane lane(Duration deadline) {
    return new Lane(threads, deadline, Lane.Late.UNREPORTED);
  }

  private static long threadsOfCalls() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(THREADS))
        .count();
  }

  @Test
  void caller_waitsOnlyUntilTheDeadline() {
    assertThat(lane.ask("hanging", this::hang))
        .isEqualTo(new Answer.Failed<>(NvmlError.UNRESPONSIVE, "hanging"));
    assertThat(lane.isResponsive()).isFalse();
  }

  @Test
  void whileItHangsNothingMoreIsBegun() {
    var runs = new AtomicInteger();
    lane.ask("hanging", this::hang);

    var refused = lane.ask("next", () -> Answer.of(runs.incrementAndGet()));
    hanging.countDown();
    await().until(lane::isResponsive);

    assertThat(refused.isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
    assertThat(lane.ask("again", () -> Answer.of(runs.incrementAndGet()))).isEqualTo(Answer.of(1));
  }

  @Test
  void workThatWasGivenUpInTheQueueIsNotDone() {
    var runs = new AtomicInteger();
    lane.begin("hanging", this::hang);
    var queued = lane.begin("queued", () -> Answer.of(runs.incrementAndGet()));

    assertThat(queued.await().isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
    hanging.countDown();
    await().until(lane::isResponsive);
    assertThat(runs).hasValue(0);
  }

  @Test
  void aFullQueueRefusesAtOnce() {
    var jobs = IntStream.range(0, 40).mapToObj(_ -> lane.begin("hanging", this::hang)).toList();

    assertThat(jobs.getLast().await().isFailedWith(NvmlError.UNRESPONSIVE)).isTrue();
  }

  @Test
  void brokenWorkIsAnAnswer() {
    Supplier<Answer<Boolean>> broken =
        () -> {
          throw new IllegalStateException("on purpose");
        };

    assertThat(lane.ask("broken", broken).isFailedWith(NvmlError.UNKNOWN)).isTrue();
    assertThat(lane.ask("next", () -> Answer.of(true))).isEqualTo(Answer.of(true));
  }

  @Test
  void aClosedLaneTakesNothing() {
    lane.close();

    assertThat(lane.ask("late", () -> Answer.of(true)).isFailedWith(NvmlError.UNINITIALIZED))
        .isTrue();
  }

  private Answer<Boolean> hang() {
    try {
      hanging.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return Answer.of(true);
  }
}
