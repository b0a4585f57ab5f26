package dev.pitcrew.agent.unhealthy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is yet to be reported to the pods that hold devices.
class HealthNoticesTest {
  private static final Instant T0 = Instant.parse("2026-11-22T08:00:00Z");
  private static final Instant T1 = T0.plusSeconds(60);
  private static final Map<String, String> UNHEALTHY = Map.of("GPU-1", "Xid 95");

  @Test
  void gpuThatIsUnhealthyAtTheFirstReading_isNotReported() {
    assertThat(HealthNotices.first(UNHEALTHY, T0).unreported()).isEmpty();
  }

  @Test
  void unhealthyGpuAndItsRecovery_areReportedOnceEach() {
    HealthNotices unhealthy = HealthNotices.first(Map.of(), T0).after(UNHEALTHY, T1);
    assertThat(unhealthy.unreported()).containsOnlyKeys("GPU-1");
    HealthNotices reported = unhealthy.reported(_ -> true);
    assertThat(reported.after(Map.of("GPU-1", "Xid 79"), T1).unreported()).isEmpty();

    HealthNotices well = reported.after(Map.of(), T1);
    assertThat(well.unreported()).containsEntry("GPU-1", new HealthNotices.Notice("", T1, false));
    assertThat(well.reported(_ -> true).all()).isEmpty();
  }

  @Test
  void unreportedNotice_isReportedByTheNextAgentWithTheSameTime() {
    HealthNotices kept = HealthNotices.first(Map.of(), T0).after(UNHEALTHY, T0);

    HealthNotices next = HealthNotices.read(kept.text()).orElseThrow().after(UNHEALTHY, T1);

    assertThat(next).isEqualTo(kept);
    assertThat(next.unreported())
        .containsEntry("GPU-1", new HealthNotices.Notice("Xid 95", T0, false));
  }

  @Test
  void holdersThatCouldNotBeRead_areReadAgain() {
    HealthNotices unhealthy = HealthNotices.first(Map.of(), T0).after(UNHEALTHY, T0);
    assertThat(unhealthy.reported(_ -> false)).isEqualTo(unhealthy);
  }

  @Test
  void invalidFile_isIgnored() {
    assertThat(HealthNotices.read("{\"GPU-1\": {\"at\": \"yesterday\"}}")).isEmpty();
    assertThat(HealthNotices.read("[")).isEmpty();
  }
}
