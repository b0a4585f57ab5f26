package dev.pitcrew.operator.driver;

import static dev.pitcrew.operator.testing.Drivers.named;
import static dev.pitcrew.operator.testing.Drivers.owned;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.testing.Drivers;
import dev.pitcrew.operator.testing.Facts;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DriverPlanTest {
  private static final String VERSION = "feature.node.kubernetes.io/system-os_release.VERSION_ID=";
  private static final String KERNEL = "feature.node.kubernetes.io/kernel-version.full=";
  private static final String RELEASE =
      "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION";

  @Test
  void nodesOfOneSystemAreOnePool() {
    var plan = wanted("{}", Facts.oneNode(), owned("a", "d"), owned("b", "d", KERNEL + "6.8.0"));

    assertThat(plan.daemonSets()).hasSize(1);
    assertThat(selector(plan.daemonSets().getFirst()))
        .containsEntry("nvidia.com/gpu-operator.driver.owner", "d")
        .containsEntry("nvidia.com/gpu.present", "true")
        .containsEntry("nvidia.com/gpu.deploy.driver", "true")
        .containsEntry("feature.node.kubernetes.io/system-os_release.VERSION_ID", "22.04");
  }

  @Test
  void eachSystemHasItsImage() {
    var plan = wanted("{}", Facts.oneNode(), owned("a", "d"), owned("b", "d", VERSION + "24.04"));

    assertThat(images(plan))
        .containsExactlyInAnyOrder(
            "example.com/driver:570-ubuntu22.04", "example.com/driver:570-ubuntu24.04");
  }

  @Test
  void readyMadeModulesAreOnePoolForEachKernel() {
    var plan =
        wanted(
            "{usePrecompiled: true}",
            Facts.oneNode(),
            owned("a", "d"),
            owned("b", "d", KERNEL + "5.14.0-427.37.1.el9_4.x86_64"));

    assertThat(images(plan))
        .containsExactlyInAnyOrder(
            "example.com/driver:570-5.15.0-78-generic-ubuntu22.04",
            "example.com/driver:570-5.14.0-427.37.1.el9_4.x86_64-ubuntu22.04");
    assertThat(
            plan.daemonSets().stream()
                .map(it -> it.getMetadata().getLabels())
                .map(labels -> labels.get("nvidia.com/precompiled.kernel-version")))
        .containsExactlyInAnyOrder("5.15.0-78-generic", "5.14.0-427.37.1.el9.4");
    assertThat(plan.resources().stream().filter(it -> it.getKind().equals("ServiceAccount")))
        .as("what the pods run under is shared")
        .hasSize(1);
  }

  @Test
  void aNodeThatIsNotFullyLabelledWaitsAlone() {
    var blank =
        new NodeFacts(
            "blank",
            "u",
            "1",
            Map.of("nvidia.com/gpu.present", "true", "nvidia.com/gpu-operator.driver.owner", "d"),
            Map.of(),
            "",
            "");
    var plan = wanted("{}", Facts.oneNode(), owned("a", "d"), blank);

    assertThat(plan.daemonSets()).hasSize(1);
    assertThat(plan.unlabelled()).containsExactly("blank");
  }

  @Test
  void nodesOfAnotherAreNoneOfItsOwn() {
    assertThat(wanted("{}", Facts.oneNode(), owned("a", "other")).daemonSets()).isEmpty();
  }

  @Test
  void aReleaseOfOpenShiftIsAPool() {
    var facts = Facts.openShift().driverToolkit(Map.of("416.94", "dtk:1"));
    var plan = wanted("{}", facts, owned("a", "d", RELEASE + "=416.94"));

    assertThat(selector(plan.daemonSets().getFirst())).containsEntry(RELEASE, "416.94");
    assertThat(plan.daemonSets().getFirst().getSpec().getTemplate().getSpec().getContainers())
        .extracting("name")
        .contains("openshift-driver-toolkit-ctr");
    assertThat(plan.resources())
        .extracting("kind")
        .contains("SecurityContextConstraints", "ServiceAccount", "ClusterRoleBinding");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{usePrecompiled: true, gds: {enabled: true, repository: r, image: i, version: '2'}} | pre-compiled",
        "{usePrecompiled: true, gdrcopy: {enabled: true, repository: r, image: i, version: '2'}} | pre-compiled",
        "{gds: {enabled: true, repository: r, image: i, version: 2.17.5}} | only supported with NVIDIA OpenRM drivers: spec.kernelModuleType must be open",
        "{gds: {enabled: true, repository: r, image: i, version: 'sha256:1'}} | kernelModuleType must be open",
        "{secretEnv: gone} | gone",
        "{repoConfig: {name: gone}} | gone",
        "{certConfig: {name: gone}} | gone",
        "{kernelModuleConfig: {name: gone}} | gone",
        "{virtualTopologyConfig: {name: gone}} | gone",
        "{licensingConfig: {secretName: gone}} | gone",
        "{startupProbe: {successThreshold: 2}} | successThreshold",
      })
  void impossibleSetting_isRefused_andNamed(String spec, String words) {
    var driver = named("d", spec);
    var plan =
        Drivers.plan(driver, Drivers.fleet(List.of(driver), owned("a", "d")), Facts.oneNode());

    assertThat(plan).isInstanceOf(DriverPlan.Refused.class);
    assertThat(((DriverPlan.Refused) plan).problem().message()).contains(words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{usePrecompiled: true, repository: example.com, image: driver, version: '580 '}",
        "{usePrecompiled: true, repository: 'https://example.com', image: driver, version: '580'}",
        "{usePrecompiled: true, image: 'example.com/Driver'}",
      })
  void precompiledModulesOfAnImageThatCannotBePulled_areRefused(String spec) {
    var driver = new DriverResource("d", "d-uid", Drivers.from(spec), "");
    var plan =
        Drivers.plan(driver, Drivers.fleet(List.of(driver), owned("a", "d")), Facts.oneNode());

    assertThat(plan).isInstanceOf(DriverPlan.Refused.class);
    assertThat(((DriverPlan.Refused) plan).problem().message()).contains("that is no image");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{gds: {enabled: true, repository: r, image: i, version: 2.17.4}}",
        "{kernelModuleType: open, gds: {enabled: true, repository: r, image: i, version: 2.17.5}}",
      })
  void storageGoesWithTheModulesThatItNeeds(String spec) {
    assertThat(wanted(spec, Facts.oneNode(), owned("a", "d")).daemonSets()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{usePrecompiled: true, repoConfig: {name: gone}, certConfig: {name: gone}}",
        "{licensingConfig: {secretName: licence, name: gone}}",
      })
  void unusedReference_mayBeMissing(String spec) {
    assertThat(wanted(spec, Facts.oneNode().secret("licence"), owned("a", "d")).daemonSets())
        .hasSize(1);
  }

  @Test
  void filesOfTheUserAreInAllContainersThatBuildModules() {
    var facts = Facts.oneNode().configMap("repos", "a.list").configMap("params", "nvidia.conf");
    var plan =
        wanted(
            "{rdma: {enabled: true}, repoConfig: {name: repos}, kernelModuleConfig: {name: params}}",
            facts,
            owned("a", "d"));

    assertThat(plan.daemonSets().getFirst().getSpec().getTemplate().getSpec().getContainers())
        .allSatisfy(container ->
            assertThat(container.getVolumeMounts())
                .extracting("mountPath")
                .contains("/etc/apt/sources.list.d/a.list", "/drivers/nvidia.conf"));
  }

  @Test
  void theSameInputYieldsTheSamePlan() {
    var one = wanted("{}", Facts.oneNode(), owned("a", "d"), owned("b", "d", VERSION + "24.04"));
    var other = wanted("{}", Facts.oneNode(), owned("b", "d", VERSION + "24.04"), owned("a", "d"));

    assertThat(one.daemonSets()).isEqualTo(other.daemonSets());
  }

  private static DriverPlan.Wanted wanted(String spec, Facts facts, NodeFacts... nodes) {
    var driver = named("d", spec);
    return (DriverPlan.Wanted) Drivers.plan(driver, Drivers.fleet(List.of(driver), nodes), facts);
  }

  private static Map<String, String> selector(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec().getNodeSelector();
  }

  private static List<String> images(DriverPlan.Wanted plan) {
    return plan.daemonSets().stream()
        .map(it -> it.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage())
        .toList();
  }
}
