package dev.pitcrew.hardware.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The list that `make -C native test` compares with NVIDIA's header is ours, too.
class CudaErrorTest {
  private static final Path RECORDED = Path.of("../native/sim/cuda/constants.txt");
  private static final String PREFIX = "CUDA_ERROR_";

  @Test
  void theCodesAreThoseOfTheHeader() throws IOException {
    Map<String, Integer> ours =
        Arrays.stream(CudaError.values())
            .filter(error -> error.code() > 0)
            .collect(Collectors.toMap(error -> PREFIX + error.name(), CudaError::code));

    assertThat(ours).isEqualTo(recorded());
  }

  @Test
  void undefinedCode_isUnknown() {
    assertThat(CudaError.of(12_345)).isEqualTo(CudaError.UNKNOWN);
    assertThat(CudaError.of(-2)).isEqualTo(CudaError.UNKNOWN);
  }

  @Test
  void eachErrorSaysWhatItMeansAndWhatToDo() {
    assertThat(CudaError.values())
        .allSatisfy(error -> {
          assertThat(error.meaning()).isNotBlank();
          assertThat(error.remedy()).isNotBlank();
        });
  }

  private static Map<String, Integer> recorded() throws IOException {
    return Files.readAllLines(RECORDED).stream()
        .map(line -> line.split(" "))
        .filter(words -> words[0].startsWith(PREFIX))
        .collect(Collectors.toMap(words -> words[0], words -> Integer.valueOf(words[1])));
  }
}
