package dev.pitcrew.core.requests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a wrong name may have meant.
class NearestNamesTest {
  private static final List<String> KNOWN =
      List.of(
          "nvidia.com/gpu",
          "nvidia.com/mig-1g.10gb",
          "nvidia.com/mig-1g.10gb.me",
          "nvidia.com/mig-2g.20gb",
          "nvidia.com/mig-7g.80gb");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nvidia.com/gpus       | nvidia.com/gpu",
        "nvidia.com/GPU        | nvidia.com/gpu",
        "nvidia.com/gpu.shared | nvidia.com/gpu",
        "nvidia.com/mig-1g.5gb | nvidia.com/mig-1g.10gb nvidia.com/mig-2g.20gb nvidia.com/mig-7g.80gb",
        "nvidia.com/rdma_vf    | ''",
      })
  void theNearestComeFirstAndFarOnesNotAtAll(String name, String nearest) {
    assertThat(String.join(" ", NearestNames.of(name, KNOWN))).isEqualTo(nearest);
  }
}
