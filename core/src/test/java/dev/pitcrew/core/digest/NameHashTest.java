package dev.pitcrew.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NameHashTest {
  @ParameterizedTest
  @CsvSource({
    "2269c984-db9a-4b0e-9fd5-86df0ad269f7, 7c6d7bd86b",
    "2269c984-db9a-4b0e-9fd5-86df0ad269f7-5.15.0-1041-azure, 79d6bd954f",
    "2269c984-db9a-4b0e-9fd5-86df0ad269f7-rhcos4.14-414.92.202309282257, 646cdfdb96",
    "rhcos4.14-414.92.202309282257, 5bbdb464cb",
    "nvidia-gpu-driver-2269c984-db9a-4b0e-9fd5-86df0ad269f7-rhcos4.14-414.92.202309282257, 7bf6859b6d",
    "nvidia-vgpu-driver-2269c984-db9a-4b0e-9fd5-868df0ad269f7-rhcos4.14-414.92.202309282257, 7469f59898",
    "bfac7359-6033-45ce-88d6-53db0078526e, 67cc6dbb79",
    "bfac7359-6033-45ce-88d6-53db0078526e-5.15.0-70-generic, 59b779bcc5",
  })
  void hash_isTheOneInExistingNames(String text, String hash) {
    assertThat(NameHash.of(text)).isEqualTo(hash);
  }
}
