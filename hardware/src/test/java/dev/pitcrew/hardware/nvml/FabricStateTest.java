package dev.pitcrew.hardware.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.Fabric;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricStateTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0, NotAttached[]",
    "1, 0, Pending[progress=not started]",
    "2, 0, Pending[progress=in progress]",
    "3, 0, NotAttached[]",
    "3, 999, Pending[progress=failed: unknown error]",
    "4, 0, NotAttached[]"
  })
  void stateAndStatusSayHowFarTheFabricIs(int state, int status, String fabric) {
    assertThat(new FabricState(new UUID(0, 0), 0, state, status).fabric()).hasToString(fabric);
  }

  @Test
  void fabricOfSeveralNodesHasAName() {
    var cluster = new UUID(1, 2);

    assertThat(new FabricState(cluster, 7, 3, 0).fabric())
        .isEqualTo(new Fabric.Attached(cluster, 7));
  }
}
