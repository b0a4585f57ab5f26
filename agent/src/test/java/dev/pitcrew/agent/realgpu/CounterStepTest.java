package dev.pitcrew.agent.realgpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CounterStepTest {
  /// The form of nvidia-smi's DTD nvsmi_device_v12; values of GPU 1 under the names of older
  /// drivers.
  private static final String XML =
      """
      <?xml version="1.0" ?>
      <!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
      <nvidia_smi_log>
        <driver_version>580.65.06</driver_version>
        <gpu id="00000000:1B:00.0">
          <temperature>
            <gpu_temp>31 C</gpu_temp>
          </temperature>
          <gpu_power_readings>
            <average_power_draw>70.12 W</average_power_draw>
          </gpu_power_readings>
          <processes>
          </processes>
        </gpu>
        <gpu id="00000000:43:00.0">
          <temperature>
            <gpu_temp>33 C</gpu_temp>
          </temperature>
          <power_readings>
            <power_draw>71.00 W</power_draw>
          </power_readings>
        </gpu>
      </nvidia_smi_log>
      """;

  private static final String PAGE =
      """
      # TYPE DCGM_FI_DEV_GPU_TEMP gauge
      DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1",modelName="NVIDIA H100"} 30
      DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-2",modelName="NVIDIA H100"} 33
      DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1"} 70.1
      DCGM_FI_DEV_POWER_USAGE{gpu="1",UUID="GPU-2"} 71
      DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-1"} 345
      """;

  @Test
  void countersStandBesideTheReadingsOfTheSameGpu() {
    var section = CounterStep.compare(MetricsPage.of(PAGE), SmiReadings.of(XML), "");

    assertThat(section.lines())
        .extracting(line -> line.replaceAll(" +", " "))
        .containsExactly(
            "GPU 0 DCGM_FI_DEV_GPU_TEMP 30.0 31 C",
            "GPU 1 DCGM_FI_DEV_GPU_TEMP 33.0 33 C",
            "GPU 0 DCGM_FI_DEV_POWER_USAGE 70.1 70.12 W",
            "GPU 1 DCGM_FI_DEV_POWER_USAGE 71.0 71.00 W",
            "GPU 0 DCGM_FI_DEV_SM_CLOCK 345.0 -");
  }
}
