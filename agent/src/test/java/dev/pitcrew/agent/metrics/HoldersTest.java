package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.metrics.plan.DeviceSelection;
import dev.pitcrew.agent.metrics.plan.MetricsSettings.PodMapping;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.agent.metrics.plan.PodLabels;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HoldersTest {
  private static final Gpu WHOLE = Nodes.gpu(0, new Mig.NotCapable());
  private static final Gpu DIVIDED = Nodes.divided(1, 2);
  private static final Holder MINE = new Holder("mine", "team", "main", "", "");

  @Test
  void aPodThatHasAWholeGpuIsItsHolder() {
    var holders =
        Holders.of(List.of(pod("mine", "nvidia.com/gpu", Nodes.uuid(0))), Map.of(), mapping(false));

    assertThat(holders.of(Part.whole(WHOLE))).containsExactly(MINE);
    assertThat(holders.of(Part.whole(Nodes.gpu(2, new Mig.NotCapable())))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "MIG-00000000-0000-0000-0001-000000000001",
    "MIG-00000000-0000-0000-0001-000000000001::3",
    "MIG-GPU-12345678-1234-1234-1234-123456780001/2/0",
    "nvidia1/gi2",
    "nvidia1/gi2/vgpu1"
  })
  void everyNameOfAMigDeviceLeadsToItsInstance(String id) {
    var holders =
        Holders.of(List.of(pod("mine", "nvidia.com/mig-1g.5gb", id)), Map.of(), mapping(false));
    var parts = DeviceSelection.FLEXIBLE.parts(List.of(DIVIDED));

    assertThat(holders.of(parts.get(1))).extracting(Holder::pod).containsExactly("mine");
    assertThat(holders.of(parts.get(0))).isEmpty();
  }

  @Test
  void aSharedGpuIsGivenToOnePodOrToEachWithItsShare() {
    var pods =
        List.of(
            pod("other", "nvidia.com/gpu", Nodes.uuid(0) + "::1"),
            pod("mine", "nvidia.com/gpu", Nodes.uuid(0) + "::0"));

    assertThat(Holders.of(pods, Map.of(), mapping(false)).of(Part.whole(WHOLE)))
        .extracting(Holder::pod)
        .containsExactly("other");
    assertThat(Holders.of(pods, Map.of(), mapping(true)).of(Part.whole(WHOLE)))
        .containsExactly(
            new Holder("mine", "team", "main", "0", ""),
            new Holder("other", "team", "main", "1", ""));
  }

  @Test
  void onlyResourcesOfGpusCountAndThoseThatAreNamed() {
    var pods = List.of(pod("mine", "example.com/gpu", Nodes.uuid(0)));

    assertThat(Holders.of(pods, Map.of(), mapping(false)).of(Part.whole(WHOLE))).isEmpty();
    var named =
        new PodMapping(
            true,
            KubeletPods.SOCKET,
            List.of("example.com/gpu"),
            false,
            false,
            false,
            true,
            PodLabels.NONE);
    assertThat(Holders.of(pods, Map.of(), named).of(Part.whole(WHOLE))).containsExactly(MINE);
  }

  @Test
  void labelsOfPodsFollowTheNamesOfTheVersion() {
    assertThat(MINE.labels(Part.whole(WHOLE), false))
        .containsExactly(
            Map.entry("container", "main"),
            Map.entry("namespace", "team"),
            Map.entry("pod", "mine"));
    assertThat(new Holder("mine", "team", "main", "2", "u-1").labels(Part.whole(WHOLE), true))
        .containsOnlyKeys("container_name", "pod_name", "pod_namespace", "pod_uid", "vgpu");
  }

  private static PodMapping mapping(boolean isPerHolder) {
    return new PodMapping(
        true, KubeletPods.SOCKET, List.of(), isPerHolder, false, false, true, PodLabels.NONE);
  }

  private static PodResources pod(String name, String resource, String device) {
    return PodResources.newBuilder()
        .setName(name)
        .setNamespace("team")
        .addContainers(
            ContainerResources.newBuilder()
                .setName("main")
                .addDevices(
                    ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(device)))
        .build();
  }
}
