package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is yet to be told to the pods that hold devices.
class ToldHoldersTest {
  private static final Instant T0 = Instant.parse("2026-11-22T08:00:00Z");
  private static final Instant T1 = T0.plusSeconds(60);
  private static final Map<String, String> SICK = Map.of("GPU-1", "Xid 95");

  @Test
  void whatIsSickAtTheFirstLookIsNoNews() {
    assertThat(ToldHolders.first(SICK, T0).untold()).isEmpty();
  }

  @Test
  void anIllnessAndItsEndAreToldOnceEach() {
    ToldHolders ill = ToldHolders.first(Map.of(), T0).after(SICK, T1);
    assertThat(ill.untold()).containsOnlyKeys("GPU-1");
    ToldHolders told = ill.told(_ -> true);
    assertThat(told.after(Map.of("GPU-1", "Xid 79"), T1).untold()).isEmpty();

    ToldHolders well = told.after(Map.of(), T1);
    assertThat(well.untold()).containsEntry("GPU-1", new ToldHolders.News("", T1, false));
    assertThat(well.told(_ -> true).all()).isEmpty();
  }

  @Test
  void whatWasNotToldIsToldByTheNextAgentUnderTheSameTime() {
    ToldHolders kept = ToldHolders.first(Map.of(), T0).after(SICK, T0);

    ToldHolders next = ToldHolders.read(kept.text()).orElseThrow().after(SICK, T1);

    assertThat(next).isEqualTo(kept);
    assertThat(next.untold()).containsEntry("GPU-1", new ToldHolders.News("Xid 95", T0, false));
  }

  @Test
  void whoeverCouldNotBeAskedForIsAskedForAgain() {
    ToldHolders ill = ToldHolders.first(Map.of(), T0).after(SICK, T0);
    assertThat(ill.told(_ -> false)).isEqualTo(ill);
  }

  @Test
  void whatNoAgentWroteIsNotRead() {
    assertThat(ToldHolders.read("{\"GPU-1\": {\"at\": \"yesterday\"}}")).isEmpty();
    assertThat(ToldHolders.read("[")).isEmpty();
  }
}
