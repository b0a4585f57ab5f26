package dev.pitcrew.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.cli.cluster.GpuUse.Holder;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is read of a page of an agent's metrics.
class AgentPageTest {
  @Test
  void valuesOfAGpu_areThoseOfItsLines() {
    AgentPage page =
        page(
            """
            # TYPE DCGM_FI_DEV_GPU_UTIL gauge
            DCGM_FI_DEV_GPU_UTIL{gpu="3",UUID="GPU-3",pci_bus_id="0",hostname="n"} 98
            DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="3",UUID="GPU-3"} 0.500000
            DCGM_FI_DEV_FB_USED{gpu="3",UUID="GPU-3"} 1024
            DCGM_FI_DEV_FB_FREE{gpu="3",UUID="GPU-3"} 2048
            DCGM_FI_DEV_FB_RESERVED{gpu="3",UUID="GPU-3"} 100
            DCGM_FI_DEV_POWER_USAGE{gpu="3",UUID="GPU-3"} 688.250000
            DCGM_FI_DEV_GPU_TEMP{gpu="3",UUID="GPU-3"} 71
            DCGM_FI_DEV_SM_CLOCK{gpu="3",UUID="GPU-3"} 1000
            # TYPE pitcrew_gpu_utilization_below_seconds gauge
            pitcrew_gpu_utilization_below_seconds{UUID="GPU-3",below="0.05",gpu="3"} 60
            pitcrew_gpu_utilization_below_seconds{UUID="GPU-3",below="+Inf",gpu="3"} 90
            # TYPE pitcrew_gpu_holder_seconds gauge
            pitcrew_gpu_holder_seconds{UUID="GPU-3",container="a",gpu="3",namespace="ml",pod="p",shared="false"} 7
            pitcrew_gpu_holder_seconds{UUID="GPU-3",container="b",gpu="3",namespace="ml",pod="p",shared="false"} 9
            """);

    assertThat(page.gpus())
        .containsExactly(
            new GpuUse(
                "3",
                "GPU-3",
                "",
                "",
                true,
                Optional.of(98.0),
                Optional.of(1024.0),
                Optional.of(3172.0),
                Optional.of(688.25),
                Optional.of(71.0),
                Map.of("0.05", 60L, "+Inf", 90L),
                List.of(new Holder("ml", "p", false, 9, Optional.empty(), Optional.empty()))));
    assertThat(page.knowsHolders()).isTrue();
    assertThat(page.problems()).isEmpty();
  }

  /// Names that a counters file may have, and labels of old releases of dcgm-exporter.
  @Test
  void otherSpellings_areTheSame() {
    assertThat(page("DCGM_FI_DEV_GPU_UTIL_RATIO{gpu=\"0\",uuid=\"GPU-0\"} 5").gpus())
        .singleElement()
        .satisfies(it -> assertThat(it.uuid()).isEqualTo("GPU-0"))
        .satisfies(it -> assertThat(it.utilisation()).contains(5.0));
  }

  @Test
  void migDevices_areApart_andHaveTheRatioOfTheEngine() {
    assertThat(
            page("""
            DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7"} 0.250000
            DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="8"} 12
            """)
                .gpus())
        .extracting(GpuUse::title, GpuUse::profile, GpuUse::utilisation)
        .containsExactly(
            tuple("0/7", "1g.10gb", Optional.of(25.0)), tuple("0/8", "1g.10gb", Optional.empty()));
  }

  @Test
  void sharesOfPods_areEstimates() {
    assertThat(
            page("""
            pitcrew_gpu_holder_seconds{UUID="G",container="a",gpu="0",namespace="ml",pod="p",shared="true"} 7
            pitcrew_gpu_holder_seconds{UUID="G",container="a",gpu="0",namespace="ml",pod="q",shared="true"} 8
            pitcrew_gpu_pod_utilization_estimate_ratio{UUID="G",container="a",gpu="0",namespace="ml",pod="p"} 0.400000
            pitcrew_gpu_pod_utilization_estimate_ratio{UUID="G",container="b",gpu="0",namespace="ml",pod="p"} 0.100000
            pitcrew_gpu_pod_memory_used_bytes{UUID="G",container="a",gpu="0",namespace="ml",pod="p"} 1048576
            pitcrew_gpu_pod_memory_used_bytes{UUID="G",container="a",gpu="0",namespace="ml",pod="gone"} 1048576
            """)
                .gpus()
                .getFirst()
                .holders())
        .containsExactly(
            new Holder("ml", "p", true, 7, Optional.of(50.0), Optional.of(1.0)),
            new Holder("ml", "q", true, 8, Optional.empty(), Optional.empty()));
  }

  @Test
  void whatDoesNotWork_isReported() {
    AgentPage page =
        page(
            """
            pitcrew_metrics_gpu_answers{UUID="G",gpu="0"} 0
            DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="G"} 30
            pitcrew_metrics_problem{about="pods",why="no \\"socket\\"\\nhere"} 1
            """);

    assertThat(page.gpus()).singleElement().matches(it -> !it.answers());
    assertThat(page.problems()).containsExactly("pods: no \"socket\"\nhere");
    assertThat(page.knowsHolders()).isFalse();
  }

  @Test
  void textThatIsNoPage_hasNothing_andOneOfTooManyGpusIsRefused() {
    assertThat(page("<html>\nDCGM_FI_DEV_GPU_UTIL 5\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} x\n").gpus())
        .isEmpty();
    var endless = new AgentPage();
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> {
          for (int gpu = 0; gpu < 10_000; gpu++) {
            endless.line("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"%d\"} 5".formatted(gpu));
          }
        })
        .withMessageContaining("more than 4096");
  }

  private static AgentPage page(String text) {
    var page = new AgentPage();
    text.lines().forEach(page::line);
    return page;
  }
}
