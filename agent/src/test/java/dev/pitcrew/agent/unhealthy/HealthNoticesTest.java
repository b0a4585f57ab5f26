package dev.pitcrew.agent.unhealthy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is yet to be told to the pods that hold devices.
class HealthNoticesTest {
  private static final Instant T0 = Instant.parse("2026-11-22T08:00:00Z");
  private static final Instant T1 = T0.plusSeconds(60);
  private static final Map<String, String> SICK = Map.of("GPU-1", "Xid 95");

  @Test
  void whatIsSickAtTheFirstLookIsNoNews() {
    assertThat(HealthNotices.first(SICK, T0).untold()).isEmpty();
  }

  @Test
  void anIllnessAndItsEndAreToldOnceEach() {
    HealthNotices ill = HealthNotices.first(Map.of(), T0).after(SICK, T1);
    assertThat(ill.untold()).containsOnlyKeys("GPU-1");
    HealthNotices told = ill.told(_ -> true);
    assertThat(told.after(Map.of("GPU-1", "Xid 79"), T1).untold()).isEmpty();

    HealthNotices well = told.after(Map.of(), T1);
    assertThat(well.untold()).containsEntry("GPU-1", new HealthNotices.News("", T1, false));
    assertThat(well.told(_ -> true).all()).isEmpty();
  }

  @Test
  void whatWasNotToldIsToldByTheNextAgentUnderTheSameTime() {
    HealthNotices kept = HealthNotices.first(Map.of(), T0).after(SICK, T0);

    HealthNotices next = HealthNotices.read(kept.text()).orElseThrow().after(SICK, T1);

    assertThat(next).isEqualTo(kept);
    assertThat(next.untold()).containsEntry("GPU-1", new HealthNotices.News("Xid 95", T0, false));
  }

  @Test
  void whoeverCouldNotBeAskedForIsAskedForAgain() {
    HealthNotices ill = HealthNotices.first(Map.of(), T0).after(SICK, T0);
    assertThat(ill.told(_ -> false)).isEqualTo(ill);
  }

  @Test
  void whatNoAgentWroteIsNotRead() {
    assertThat(HealthNotices.read("{\"GPU-1\": {\"at\": \"yesterday\"}}")).isEmpty();
    assertThat(HealthNotices.read("[")).isEmpty();
  }
}
