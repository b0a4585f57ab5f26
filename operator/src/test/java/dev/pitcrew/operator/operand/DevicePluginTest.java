package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The device plugin, and what feature discovery and the MPS daemon share with it.
class DevicePluginTest {
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String MPS = "nvidia-device-plugin-mps-control-daemon";
  private static final String DISCOVERY = "gpu-feature-discovery";

  @Test
  void featuresOfTheDriverAreAnnounced() {
    assertThat(pods("{gds: {enabled: true}, gdrcopy: {enabled: true}}", PLUGIN).main().env())
        .contains(
            entry("GDS_ENABLED", "true"),
            entry("MOFED_ENABLED", "true"),
            entry("GDRCOPY_ENABLED", "true"));
    assertThat(pods("", PLUGIN).main().env())
        .doesNotContainKeys("GDS_ENABLED", "MOFED_ENABLED", "GDRCOPY_ENABLED");
  }

  @ParameterizedTest
  @CsvSource({
    "'', (not set), all",
    "none, none, (not set)",
    "single, single, all",
    "mixed, mixed, all",
  })
  void migStrategy_isPassedToAllThatReadDevices(String strategy, String expected, String monitor) {
    for (String name : new String[] {PLUGIN, MPS, DISCOVERY}) {
      var main = pods("mig: {strategy: '" + strategy + "'}", name).main();
      assertThat(main.env("MIG_STRATEGY")).as(name).isEqualTo(expected);
      assertThat(main.env("NVIDIA_MIG_MONITOR_DEVICES")).as(name).isEqualTo(monitor);
    }
  }

  @Test
  void withCdiDevicesAreListedByCdi() {
    assertThat(pods("{cdi: {enabled: true}, toolkit: {installDir: /opt/nv}}", PLUGIN).main().env())
        .contains(
            entry("CDI_ENABLED", "true"),
            entry("DEVICE_LIST_STRATEGY", "cdi-annotations,cdi-cri"),
            entry("CDI_ANNOTATION_PREFIX", "cdi.k8s.io/"),
            entry("NVIDIA_CDI_HOOK_PATH", "/opt/nv/toolkit/nvidia-cdi-hook"));
  }

  @Test
  void aHookIsNamedOnlyWhereAToolkitBringsIt() {
    var policy = "{cdi: {enabled: true}, toolkit: {enabled: false}}";

    assertThat(pods(policy, PLUGIN).main().env()).doesNotContainKey("NVIDIA_CDI_HOOK_PATH");
  }

  @Test
  void theUsersVariablesComeLast() {
    var policy = "devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: mine}]}";

    assertThat(pods(policy, PLUGIN).main().env("DEVICE_LIST_STRATEGY")).isEqualTo("mine");
  }

  @Test
  void anotherRootOfMpsMovesItsVolumes() {
    var policy = "devicePlugin: {mps: {root: /mps}}";

    for (String name : new String[] {PLUGIN, MPS}) {
      assertThat(pods(policy, name).volumes())
          .contains(entry("mps-root", "/mps"), entry("mps-shm", "/mps/shm"));
    }
    assertThat(pods(policy, PLUGIN).main().env("MPS_ROOT")).isEqualTo("/mps");
  }

  @Test
  void mpsTakesImageAndNetworkOfThePluginButNotItsArguments() {
    var mps =
        pods(
            "devicePlugin: {hostNetwork: true, args: [x], env: [{name: A}], resources: {requests: {cpu: 1}}}",
            MPS);

    assertThat(mps.main().image()).isEqualTo("example.com/device_plugin:1");
    assertThat(mps.container("mps-control-daemon-mounts").image())
        .isEqualTo("example.com/device_plugin:1");
    assertThat(mps.pod().getHostNetwork()).isTrue();
    assertThat(mps.main().args()).isEmpty();
    assertThat(mps.main().env()).doesNotContainKey("A");
    assertThat(mps.main().requests()).containsEntry("cpu", "1");
    assertThat(mps.nodeSelector()).containsEntry("nvidia.com/mps.capable", "true");
  }

  // defect 34: another account would restart every client of MPS on take-over.
  @Test
  void mpsRunsUnderAnAccountThatExists() {
    assertThat(pods("", MPS).pod().getServiceAccountName()).isEqualTo("nvidia-device-plugin");
    assertThat(Rendered.of("", Facts.oneNode()).objects())
        .contains("ServiceAccount/nvidia-device-plugin");
  }

  @ParameterizedTest
  @CsvSource({PLUGIN, MPS, DISCOVERY})
  void withoutConfigurationNothingFollowsOne(String name) {
    var pods = pods("", name);

    assertThat(pods.inits()).doesNotContain("config-manager-init");
    assertThat(pods.containers()).doesNotContain("config-manager");
  }

  @ParameterizedTest
  @CsvSource({
    PLUGIN + ", 1",
    MPS + ", 1",
    DISCOVERY + ", 2",
  })
  void aConfigurationIsChosenByAnInitContainerAndFollowedByASideCar(String name, String cpu) {
    var pods =
        pods(
            "{devicePlugin: {config: {name: plans, default: gold}, resources: {requests: {cpu: 1}}}, gfd: {resources: {requests: {cpu: 2}}}}",
            name);

    assertThat(pods.main().env("CONFIG_FILE")).isEqualTo("/config/config.yaml");
    assertThat(pods.volumes())
        .contains(entry("plans", "configMap plans"), entry("config", "emptyDir"));
    for (String container : new String[] {"config-manager-init", "config-manager"}) {
      assertThat(pods.container(container).image()).isEqualTo("example.com/device_plugin:1");
      assertThat(pods.container(container).env())
          .contains(entry("DEFAULT_CONFIG", "gold"), entry("FALLBACK_STRATEGIES", "empty"));
      assertThat(pods.container(container).mounts())
          .contains(entry("/config", "config"), entry("/available-configs", "plans"));
    }
    assertThat(pods.container("config-manager-init").requests()).containsEntry("cpu", cpu);
  }

  @Test
  void theSideCarSeesTheProcessThatItSignals() {
    var policy = "devicePlugin: {config: {name: plans}}";

    assertThat(pods(policy, PLUGIN).pod().getShareProcessNamespace()).isTrue();
    assertThat(pods(policy, MPS).pod().getShareProcessNamespace())
        .as("it has the processes of the host")
        .isNull();
    assertThat(pods(policy, MPS).pod().getHostPID()).isTrue();
  }

  @Test
  void aConfigurationThatIsNotThereHoldsUpAllThatMountIt() {
    var rendered = Rendered.of("devicePlugin: {config: {name: plans}}", Facts.oneNode());

    assertThat(rendered.blocked())
        .containsExactly(
            "state-device-plugin", "state-mps-control-daemon", "gpu-feature-discovery");
    assertThat(rendered.problems())
        .containsExactly(
            "spec.devicePlugin.config.name is \"plans\": namespace gpu-operator has no ConfigMap of that name; create it or clear the field");
  }

  @Test
  void discoveryOnOpenShiftDoesNotUseTheFeatureApi() {
    var pods = Rendered.of("", Facts.openShift()).daemonSet(DISCOVERY);

    assertThat(pods.main().env("USE_NODE_FEATURE_API")).isEqualTo("false");
    assertThat(pods("", DISCOVERY).main().env()).doesNotContainKey("USE_NODE_FEATURE_API");
  }

  private static RenderedPods pods(String policy, String name) {
    return Rendered.of(policy, Facts.oneNode().configMap("plans", "gold")).daemonSet(name);
  }
}
