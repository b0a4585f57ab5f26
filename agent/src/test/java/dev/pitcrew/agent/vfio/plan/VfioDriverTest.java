package dev.pitcrew.agent.vfio.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VfioDriverTest {
  private static final String GH200 = "pci:v000010DEd00002342sv000010DEsd000016EBbc03sc02i00";
  private static final String ALIASES =
      """
      # Aliases extracted from modules themselves.
      alias pci:v000010DEd*sv*sd*bc03sc02i00* nouveau
      alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* nvgrace_gpu_vfio_pci
      alias vfio_pci:v000015B3d0000101Esv*sd*bc*sc*i* mlx5_vfio_pci
      alias vfio_pci:v*d*sv*sd*bc*sc*i* vfio_pci
      """;

  @ParameterizedTest
  @CsvSource({
    GH200 + ", nvgrace_gpu_vfio_pci",
    "pci:v000010DEd00002330sv000010DEsd000016C1bc03sc02i00, vfio_pci",
    "pci:v000015B3d0000101Esv000015B3sd00000001bc02sc00i00, mlx5_vfio_pci",
    "usb:v1D6Bp0002, vfio-pci",
    "'', vfio-pci"
  })
  void theKernelsListChooses(String modalias, String driver) {
    assertThat(VfioDriver.of(modalias, ALIASES)).isEqualTo(driver);
  }

  @Test
  void withoutAListItIsTheGeneralOne() {
    assertThat(VfioDriver.of(GH200, "")).isEqualTo("vfio-pci");
    assertThat(VfioDriver.of(GH200, "alias vfio_pci:v000010DE broken\nalias vfio_pci:\n"))
        .isEqualTo("vfio-pci");
  }

  @Test
  void equallyCloseDrivers_useTheFirst() {
    String ties =
        """
        alias vfio_pci:v000010DEd*sv*sd*bc03sc*i* by_class
        alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* by_device
        """;
    assertThat(VfioDriver.of(GH200, ties)).isEqualTo("by_class");
  }

  /// Whatever stands around it, and in whatever order, the closest pattern wins.
  @Property(tries = 200)
  void theClosestWinsInAnyOrder(@ForAll Random random) {
    var lines =
        new ArrayList<>(
            List.of(
                "alias vfio_pci:v*d*sv*sd*bc*sc*i* seven",
                "alias vfio_pci:v000010DEd*sv*sd*bc*sc*i* six",
                "alias vfio_pci:v000010DEd00002342sv*sd*bc*sc*i* five",
                "alias vfio_pci:v000010DEd00002342sv000010DEsd*bc*sc*i* four",
                "alias vfio_pci:v000010DEd00002342sv000010DEsd00000000bc03sc02i00 none"));
    Collections.shuffle(lines, random);

    assertThat(VfioDriver.of(GH200, String.join("\n", lines))).isEqualTo("four");
  }
}
