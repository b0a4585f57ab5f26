package dev.pitcrew.core.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What is remembered of placements, of which users make as many as they like.
class ChoicesTest {
  private static final int MANY = 10 * Choices.REMEMBERED;

  private final Choices choices = new Choices(List.of(offer()));

  @Test
  void pods_ofOnePlacement_shareAChoice() {
    assertThat(choices.of(placement(1))).isSameAs(choices.of(placement(1)));
    assertThat(choices.of(placement(1)).allowed().advertised()).containsExactly("nvidia.com/gpu");
    assertThat(choices.of(placement(2)).allowed().advertised()).isEmpty();
  }

  @Test
  void placements_withoutEnd_areForgotten() {
    for (int number = 0; number < MANY; number++) {
      choices.of(placement(number));
    }

    assertThat(choices.size()).isEqualTo(Choices.REMEMBERED);
  }

  @Test
  void aPlacement_thatIsUsedAgainAndAgain_staysRemembered() {
    Choice often = choices.of(placement(1));
    for (int number = 2; number < MANY; number++) {
      choices.of(placement(number));
      assertThat(choices.of(placement(1))).isSameAs(often);
    }
  }

  private static Placement placement(int number) {
    return new Placement(Map.of("number", String.valueOf(number)), List.of(), List.of());
  }

  private static NodeOffer offer() {
    return NodeOffer.of(
        "gpu-1", true, Map.of("number", "1"), Map.of("nvidia.com/gpu", 8L), Map.of(), List.of());
  }
}
