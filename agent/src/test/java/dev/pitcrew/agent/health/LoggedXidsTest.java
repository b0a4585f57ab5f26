package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.LoggedXids.Undelivered;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.hardware.driver.DriverMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoggedXidsTest {
  private static final Inventory GPUS =
      Nodes.of(Nodes.gpu(0, new Mig.Disabled(Set.of())), Nodes.divided(1, 2));
  private static final Instant AT = Instant.parse("2026-11-26T08:00:00Z");
  private static final DriverMessage.Xid OF_GPU_0 = xid("0000:00:00.0", 79);

  private final LoggedXids xids = new LoggedXids();

  @Test
  void xidThatNvmlDoesNotDeliver_isUndeliveredAfterTheDelay() {
    xids.add(5, OF_GPU_0, AT, seconds(100));

    assertThat(settle(101.9)).isEmpty();
    assertThat(xids.nextNanos()).hasValue(seconds(102));
    assertThat(settle(102))
        .containsExactly(new Undelivered(GPUS.gpus().get(0), XidEvent.of(Nodes.uuid(0), 79), AT));
    assertThat(settle(200)).isEmpty();
    assertThat(xids.nextNanos()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"89, false", "90, true", "100, true"})
  void xidDeliveredBeforeTheLineWasRead_isTheSame(double deliveredAt, boolean isOne) {
    delivered(XidEvent.of(Nodes.uuid(0), 79), deliveredAt);
    xids.add(5, OF_GPU_0, AT, seconds(100));

    assertThat(settle(100).isEmpty() && xids.nextNanos().isEmpty()).isEqualTo(isOne);
    assertThat(settle(102).isEmpty()).isEqualTo(isOne);
  }

  @Test
  void xidDeliveredAfterTheLineWasRead_isTheSame() {
    xids.add(5, OF_GPU_0, AT, seconds(100));
    assertThat(settle(101.9)).isEmpty();
    delivered(XidEvent.of(Nodes.uuid(0), 79), 101.9);

    assertThat(settle(102)).isEmpty();
  }

  @Test
  void anotherXidAndAnotherGpuAreOthers() {
    delivered(XidEvent.of(Nodes.uuid(0), 48), 100);
    delivered(XidEvent.of(Nodes.uuid(1), 79), 100);
    xids.add(5, OF_GPU_0, AT, seconds(100));

    assertThat(settle(102)).hasSize(1);
  }

  /// NVML may no longer be able to say which GPU it was.
  @Test
  void deliveredXidWithoutAGpu_isMatchedToTheLoggedOne() {
    xids.add(5, OF_GPU_0, AT, seconds(100));
    delivered(new XidEvent(Optional.empty(), 79, OptionalInt.empty(), OptionalInt.empty()), 101);

    assertThat(settle(102)).isEmpty();
  }

  /// NVML names the GPU, also where the line does not.
  @Test
  void deliveredXidOfAPartIsThatOfTheLine() {
    xids.add(5, xid("0000:01:00.0", 94), AT, seconds(100));
    delivered(
        new XidEvent(Optional.of(Nodes.uuid(1)), 94, OptionalInt.of(1), OptionalInt.empty()), 100);

    assertThat(settle(102)).isEmpty();
  }

  @Test
  void lineThatNamesAPartIsOfThatPart() {
    var line = new DriverMessage.Xid("0000:01:00.0", 95, OptionalInt.of(2), OptionalInt.of(0));
    xids.add(5, line, AT, seconds(100));

    var unhealthy =
        UnhealthyDevices.NONE.after(settle(102).getFirst().event(), GPUS, XidPolicy.DEFAULT, AT);
    assertThat(unhealthy.health().unhealthy()).containsOnlyKeys(Nodes.migUuid(1, 1));
  }

  @Test
  void lineOfNoGpuOfTheNodeIsNamed() {
    xids.add(5, xid("0000:99:00.0", 79), AT, seconds(100));

    var settled = xids.settle(GPUS, seconds(102));
    assertThat(settled.undelivered()).isEmpty();
    assertThat(settled.unknown()).containsExactly("0000:99:00.0");
  }

  @Test
  void stormIsHeldOnceAndManyGpusWithinBounds() {
    for (int i = 0; i < 1000; i++) {
      xids.add(i, OF_GPU_0, AT, seconds(100));
    }
    assertThat(settle(102)).hasSize(1);
    for (int i = 0; i < 1000; i++) {
      xids.add(i, xid("0000:00:00.0", i), AT, seconds(200));
    }
    assertThat(settle(202)).hasSize(LoggedXids.MOST_HELD);
  }

  @Test
  void pendingLine_hasToBeReadAgain() {
    assertThat(xids.settledUpTo(OptionalLong.of(9))).hasValue(9);
    xids.add(5, OF_GPU_0, AT, seconds(100));
    xids.add(7, xid("0000:00:00.0", 48), AT, seconds(101));

    assertThat(xids.settledUpTo(OptionalLong.of(9))).hasValue(4);
    settle(102);
    assertThat(xids.settledUpTo(OptionalLong.of(9))).hasValue(6);
    xids.forget();
    assertThat(xids.settledUpTo(OptionalLong.of(9))).hasValue(9);
  }

  @ParameterizedTest
  @CsvSource({
    "79, true, true",
    "48, true, true",
    "119, true, true",
    "63, true, false",
    "154, true, false",
    "94, true, false",
    "999, true, false",
    "94, false, true",
    "999, false, true",
    "79, false, true"
  })
  void undeliveredXid_countsIfTheGpuMustBeReset(long xid, boolean isSubscribed, boolean counts) {
    xids.add(5, xid("0000:00:00.0", xid), AT, seconds(100));

    assertThat(settle(102).getFirst().counts(isSubscribed)).isEqualTo(counts);
  }

  private List<Undelivered> settle(double seconds) {
    return xids.settle(GPUS, seconds(seconds)).undelivered();
  }

  private void delivered(XidEvent event, double seconds) {
    xids.delivered(event, seconds(seconds));
  }

  private static long seconds(double seconds) {
    return Duration.ofMillis((long) (1000 * seconds)).toNanos();
  }

  private static DriverMessage.Xid xid(String address, long number) {
    return new DriverMessage.Xid(address, number, OptionalInt.empty(), OptionalInt.empty());
  }
}
