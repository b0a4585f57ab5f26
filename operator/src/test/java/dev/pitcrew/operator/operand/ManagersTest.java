package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// MIG, vGPU, VFIO and confidential-computing managers, and the validators.
class ManagersTest {
  private static final String SANDBOX = "sandboxWorkloads: {enabled: true, mode: kata}";

  @Test
  void migLayoutsOfOursAreTheDefaultThatTheImageMayAddTo() {
    var mig = mig("");

    assertThat(mig.volumes())
        .contains(
            entry(
                "mig-parted-config",
                "configMap default-mig-parted-config[config.yaml>config-default.yaml]"),
            entry("gpu-clients", "configMap default-gpu-clients"));
    assertThat(mig.main().env())
        .containsEntry("DEFAULT_CONFIG_FILE", "/mig-parted-config/config-default.yaml")
        .doesNotContainKey("CONFIG_FILE");
  }

  @Test
  void migLayoutsOfTheUserAreTheOnlyOnes() {
    var mig = mig(", config: {name: mine}, gpuClientsConfig: {name: clients}");

    assertThat(mig.volumes())
        .contains(
            entry("mig-parted-config", "configMap mine"),
            entry("gpu-clients", "configMap clients"));
    assertThat(mig.main().env())
        .containsEntry("CONFIG_FILE", "/mig-parted-config/config.yaml")
        .doesNotContainKey("DEFAULT_CONFIG_FILE");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "migManager: {enabled: true}                                                          | default-mig-parted-config | true",
        "migManager: {enabled: true, config: {name: mine}}                                    | default-mig-parted-config | false",
        "migManager: {enabled: true, config: {name: default-mig-parted-config}}               | default-mig-parted-config | true",
        "migManager: {enabled: true, gpuClientsConfig: {name: clients}}                       | default-gpu-clients       | false",
        "{sandboxWorkloads: {enabled: true}, vgpuDeviceManager: {enabled: true}}              | default-vgpu-devices-config | true",
        "{sandboxWorkloads: {enabled: true}, vgpuDeviceManager: {enabled: true, config: {name: mine}}} | default-vgpu-devices-config | false",
      })
  void aDefaultIsMadeOnlyWhereItIsUsed(String policy, String configMap, boolean made) {
    assertThat(Rendered.of(policy, facts()).objects("ConfigMap").contains(configMap))
        .isEqualTo(made);
  }

  @Test
  void migKnowsTheHookOfTheToolkit() {
    var policy = "{cdi: {enabled: true}, migManager: {enabled: true}}";

    assertThat(Rendered.of(policy, facts()).daemonSet("nvidia-mig-manager").main().env())
        .contains(
            entry("CDI_ENABLED", "true"),
            entry("NVIDIA_CDI_HOOK_PATH", "/usr/local/nvidia/toolkit/nvidia-cdi-hook"));
  }

  @Test
  void vgpuDevicesHaveADefaultLayout() {
    String name = "nvidia-vgpu-device-manager";

    assertThat(
            sandbox("vgpuDeviceManager: {enabled: true}", name).main().env("DEFAULT_VGPU_CONFIG"))
        .isEqualTo("default");
    var given =
        sandbox("vgpuDeviceManager: {enabled: true, config: {name: mine, default: gold}}", name);
    assertThat(given.main().env("DEFAULT_VGPU_CONFIG")).isEqualTo("gold");
    assertThat(given.volumes()).containsEntry("vgpu-config", "configMap mine");
  }

  @Test
  void theVgpuManagerIsTaggedByOperatingSystem() {
    var manager =
        sandbox(
            "vgpuManager: {enabled: true, kernelModuleConfig: {name: mine}}",
            "nvidia-vgpu-manager-daemonset");

    assertThat(manager.main().image()).isEqualTo("example.com/vgpu_manager:1-ubuntu22.04");
    assertThat(manager.container("k8s-driver-manager").image())
        .isEqualTo("example.com/driver_manager:1");
    assertThat(manager.main().mounts()).containsEntry("/drivers/a", "mine:a ro");
    assertThat(manager.containers()).containsExactly("nvidia-vgpu-manager-ctr");
    assertThat(manager.pod().getTerminationGracePeriodSeconds()).isEqualTo(120);
  }

  @Test
  void aVgpuManagerWhoseSystemIsUnknownIsHeldUpAndNotRemoved() {
    var rendered =
        Rendered.of(
            "{driver: {enabled: false}, sandboxWorkloads: {enabled: true}, vgpuManager: {enabled: true}}",
            Facts.cluster().unlabelledNode("n1"));

    assertThat(rendered.blocked()).containsExactly("state-vgpu-manager");
  }

  @Test
  void theVfioManagerIsSmallUnlessThePolicySaysOtherwise() {
    assertThat(sandbox("vfioManager: {enabled: true}", "nvidia-vfio-manager").main().requests())
        .isEqualTo(Map.of("cpu", "100m", "memory", "200Mi"));
    assertThat(
            sandbox(
                    "vfioManager: {enabled: true, resources: {requests: {cpu: 1}}}",
                    "nvidia-vfio-manager")
                .main()
                .requests())
        .isEqualTo(Map.of("cpu", "1"));
  }

  @Test
  void modeOfConfidentialComputing_isPassedWhereGiven() {
    String name = "nvidia-cc-manager";

    assertThat(
            sandbox("ccManager: {enabled: true, defaultMode: 'on'}", name)
                .main()
                .env("DEFAULT_CC_MODE"))
        .isEqualTo("on");
    assertThat(sandbox("ccManager: {enabled: true}", name).main().env())
        .doesNotContainKey("DEFAULT_CC_MODE");
  }

  @Test
  void theSandboxValidatorKnowsTheDefaultWorkload() {
    var validator =
        Rendered.of(
                "{sandboxWorkloads: {enabled: true, defaultWorkload: vm-vgpu}, validator: {vfioPCI: {env: [{name: A, value: b}]}}}",
                facts())
            .daemonSet("nvidia-sandbox-validator");

    assertThat(validator.inits())
        .containsExactly(
            "vfio-pci-validation", "vgpu-manager-validation", "vgpu-devices-validation");
    assertThat(validator.pod().getInitContainers())
        .allSatisfy(init ->
            assertThat(validator.container(init.getName()).env("DEFAULT_GPU_WORKLOAD_CONFIG"))
                .isEqualTo("vm-vgpu"));
    assertThat(validator.container("vfio-pci-validation").env("A")).isEqualTo("b");
  }

  @Test
  void confidentialComputingIsValidatedWhereItIsOn() {
    assertThat(sandbox("ccManager: {enabled: true}", "nvidia-sandbox-validator").inits())
        .startsWith("cc-manager-validation");
  }

  @Test
  void workloadsOfTheValidatorKnowHowToStart() {
    var validator =
        Rendered.of(
                "{validator: {imagePullPolicy: Always, imagePullSecrets: [a, b], plugin: {env: [{name: P}]}}, mig: {strategy: mixed}}",
                facts())
            .daemonSet("nvidia-operator-validator");

    for (String name : new String[] {"cuda-validation", "plugin-validation"}) {
      assertThat(validator.container(name).env())
          .contains(
              entry("VALIDATOR_IMAGE", "example.com/validator:1"),
              entry("VALIDATOR_IMAGE_PULL_POLICY", "Always"),
              entry("VALIDATOR_IMAGE_PULL_SECRETS", "a,b"),
              entry("VALIDATOR_RUNTIME_CLASS", "nvidia"));
    }
    assertThat(validator.container("plugin-validation").env())
        .containsEntry("MIG_STRATEGY", "mixed")
        .containsKey("P");
    assertThat(validator.container("cuda-validation").env()).doesNotContainKey("MIG_STRATEGY");
  }

  @Test
  void thePluginIsValidatedOnlyWhereThereIsOne() {
    assertThat(
            Rendered.of("devicePlugin: {enabled: false}", facts())
                .daemonSet("nvidia-operator-validator")
                .inits())
        .containsExactly("driver-validation", "toolkit-validation", "cuda-validation");
  }

  @Test
  void theNodeStatusExporterRunsTheValidatorAsRoot() {
    var exporter =
        Rendered.of("nodeStatusExporter: {enabled: true, hostNetwork: true}", facts())
            .daemonSet("nvidia-node-status-exporter");

    assertThat(exporter.main().image()).isEqualTo("example.com/validator:1");
    assertThat(exporter.main().user()).isZero();
    assertThat(exporter.pod().getHostNetwork()).isTrue();
  }

  private static RenderedPods mig(String more) {
    return Rendered.of("migManager: {enabled: true" + more + "}", facts())
        .daemonSet("nvidia-mig-manager");
  }

  private static RenderedPods sandbox(String section, String name) {
    return Rendered.of("{" + SANDBOX + ", " + section + "}", facts()).daemonSet(name);
  }

  private static Facts facts() {
    return Facts.oneNode().configMap("mine", "a").configMap("clients", "a");
  }
}
