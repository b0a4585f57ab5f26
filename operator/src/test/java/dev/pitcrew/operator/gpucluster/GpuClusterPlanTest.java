package dev.pitcrew.operator.gpucluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.operand.dra.DraContext;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GpuClusterPlanTest {
  private static final String ALL =
      "{draDriver: {featureGates: {MPSSupport: true}, computeDomains: {}}, dcgm: {enabled: true}, dcgmExporter: {}}";

  private static GpuClusterPlan plan(String spec) {
    return GpuClusterPlan.of(
        new DraContext(Policies.gpuCluster(spec), Facts.oneNode().build(), Policies.images()));
  }

  private static List<HasMetadata> objects(GpuClusterPlan plan) {
    return Stream.concat(plan.resources().stream(), plan.workloads().stream()).toList();
  }

  private static List<String> unwanted(String spec) {
    return plan(spec).unwanted(objects(plan(ALL))).stream()
        .map(object -> object.getKind() + "/" + object.getMetadata().getName())
        .toList();
  }

  @Test
  void nothingOfItIsUnwanted() {
    assertThat(unwanted(ALL)).isEmpty();
  }

  @Test
  void whatNothingAsksForAnyMoreIsUnwantedButForClassesOfDevices() {
    assertThat(unwanted("{draDriver: {computeDomains: {enabled: false}}}"))
        .contains(
            "DaemonSet/nvidia-dcgm-dra",
            "ResourceClaimTemplate/nvidia-dcgm-exporter-admin",
            "Deployment/nvidia-dra-driver-controller",
            "Role/nvidia-dra-driver-kubeletplugin-mps")
        .noneMatch(name -> name.startsWith("DeviceClass/"))
        .doesNotContain("DaemonSet/nvidia-dra-driver-kubelet-plugin");
  }

  @Test
  void whatRunsStaysWhileItsPartIsWrong() {
    assertThat(unwanted("{draDriver: {image: 'a b', computeDomains: {}}, dcgm: {enabled: true}}"))
        .contains("DaemonSet/nvidia-dcgm-exporter-dra")
        .noneMatch(name -> name.contains("dra-driver"));
  }

  @Test
  void theStatusNamesWhatLacks() {
    var plan = plan("draDriver: {}");
    var waiting = GpuClusterVerdict.of(plan, List.of("DaemonSet a is ready on 0 of 1 nodes"));

    assertThat(waiting.state()).isEqualTo("notReady");
    assertThat(waiting.isProgress()).isTrue();
    assertThat(waiting.message()).contains("DaemonSet a is ready on 0 of 1 nodes");
    assertThat(GpuClusterVerdict.of(plan, List.of()).isReady()).isTrue();
    var unlabelled = new TreeMap<>(Map.of("gpu-1", ""));
    assertThat(GpuClusterVerdict.of(plan, List.of()).afterLabelling(unlabelled).message())
        .contains("gpu-1");
    var wrong = GpuClusterVerdict.of(plan("draDriver: {image: 'a b'}"), List.of());
    assertThat(wrong.reason()).isEqualTo("ReconcileFailed");
    assertThat(wrong.message())
        .startsWith("Error syncing state state-dra-driver: ")
        .contains("spec.draDriver", "a b");
  }
}
