package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which operands a policy comes to, and what holds for all of them.
class PolicyPlanTest {
  private static final List<String> SETTINGS =
      List.of(
          "devicePlugin: {config: {name: cm}, env: [{name: A}, {name: A}]}",
          "cdi: {enabled: false}",
          "cdi: {enabled: true, nriPluginEnabled: true}",
          "driver: {kernelModuleConfig: {name: cm}, certConfig: {name: cm}, rdma: {enabled: true}}",
          "driver: {usePrecompiled: true, image: 'a.io/d:1'}",
          "gds: {enabled: true}",
          "hostPaths: {rootFS: /r, driverInstallDir: /d, kubeletRootDir: /k}",
          "sandboxWorkloads: {enabled: true, mode: kata}",
          "sandboxWorkloads: {enabled: true}",
          "toolkit: {installDir: /opt, env: [{name: ROOT, value: x}, {name: CONTAINERD_CONFIG, value: /a/b}]}",
          "migManager: {enabled: true, config: {name: cm}}",
          "vgpuManager: {enabled: true, kernelModuleConfig: {name: cm}}",
          "vgpuDeviceManager: {enabled: true}",
          "vfioManager: {enabled: true}",
          "ccManager: {enabled: true}",
          "dcgmExporter: {hpcJobMapping: {enabled: true}, config: {name: cm}}");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | pre-requisites state-operator-metrics state-driver state-container-toolkit state-operator-validation state-device-plugin state-mps-control-daemon state-dcgm state-dcgm-exporter gpu-feature-discovery state-mig-manager",
        "{cdi: {enabled: true, nriPluginEnabled: true}, driver: {useNvidiaDriverCRD: true}, toolkit: {enabled: false}, devicePlugin: {enabled: false}, dcgm: {enabled: false}, dcgmExporter: {enabled: false}, gfd: {enabled: false}, migManager: {enabled: false}} | state-operator-metrics state-operator-validation",
        "{driver: {enabled: false}, migManager: {enabled: true}, nodeStatusExporter: {enabled: true}} | pre-requisites state-operator-metrics state-container-toolkit state-operator-validation state-device-plugin state-mps-control-daemon state-dcgm state-dcgm-exporter gpu-feature-discovery state-mig-manager state-node-status-exporter",
      })
  void aPolicyRunsTheStatesThatItAsksForInTheirOrder(String policy, String states) {
    assertThat(wanted(policy)).isEqualTo(states);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "enabled: false               | ''",
        "enabled: true                | state-vgpu-manager state-vgpu-device-manager state-sandbox-validation state-vfio-manager state-sandbox-device-plugin",
        "enabled: true, mode: kata    | state-vgpu-manager state-vgpu-device-manager state-sandbox-validation state-vfio-manager state-kata-device-plugin state-cc-manager",
      })
  void sandboxedWorkloadsBringTheirOwnStates(String sandbox, String states) {
    String on = ": {enabled: true}, ";
    String policy =
        "{"
            + String.join(
                on,
                "vgpuManager",
                "vgpuDeviceManager",
                "vfioManager",
                "ccManager",
                "sandboxDevicePlugin",
                "kataSandboxDevicePlugin")
            + on
            + "sandboxWorkloads: {"
            + sandbox
            + "}}";
    String base = wanted("{}");

    assertThat(wanted(policy).replace(base, "").strip()).isEqualTo(states);
  }

  @Test
  void aSharedSettingThatIsWrongHoldsUpPodsAndNothingElse() {
    var rendered =
        Rendered.of("daemonsets: {rollingUpdate: {maxUnavailable: some}}", Facts.oneNode());

    assertThat(rendered.wanted())
        .containsExactly("pre-requisites", "state-operator-metrics", "state-driver");
    assertThat(rendered.blocked()).contains("state-device-plugin", "state-dcgm");
  }

  @Test
  void withoutGpuNodesEverythingButPodsIsPrepared() {
    var rendered = Rendered.of("", Facts.cluster());

    assertThat(rendered.daemonSets()).isEmpty();
    assertThat(rendered.objects()).contains("ServiceAccount/nvidia-driver", "RuntimeClass/nvidia");
  }

  @Property(tries = 300)
  void noContainerHasAVariableOrAPathTwice(@ForAll("policies") String policy) {
    Rendered rendered = everywhere(policy);

    for (String name : rendered.daemonSets()) {
      assertThat(rendered.daemonSet(name).all())
          .allSatisfy(container -> {
            assertThat(container.variables()).doesNotHaveDuplicates();
            assertThat(container.mountPaths()).doesNotHaveDuplicates();
          });
    }
  }

  @Property(tries = 300)
  void everyMountHasItsVolumeAndEveryPodIsSelected(@ForAll("policies") String policy) {
    Rendered rendered = everywhere(policy);

    for (String name : rendered.daemonSets()) {
      var pods = rendered.daemonSet(name);
      assertThat(pods.podLabels()).as(name).containsAllEntriesOf(pods.selector());
      assertThat(pods.pod().getVolumes()).extracting("name").doesNotHaveDuplicates();
      assertThat(pods.all())
          .allSatisfy(container ->
              assertThat(container.container().getVolumeMounts())
                  .as(name)
                  .allMatch(mount -> pods.volumes().containsKey(mount.getName())));
    }
  }

  @Property(tries = 100)
  void theSameInputPlansTheSameAndNoObjectTwice(@ForAll("policies") String policy) {
    var plan = everywhere(policy).plan();

    assertThat(everywhere(policy).plan()).isEqualTo(plan);
    assertThat(plan.daemonSets()).extracting("metadata.name").doesNotHaveDuplicates();
    assertThat(everywhere(policy).objects()).doesNotHaveDuplicates();
  }

  @Provide
  Arbitrary<String> policies() {
    return Arbitraries.of(SETTINGS)
        .set()
        .ofMaxSize(6)
        .map(settings -> {
          Map<String, String> bySection =
              settings.stream()
                  .collect(
                      Collectors.toMap(
                          setting -> setting.substring(0, setting.indexOf(':')),
                          setting -> setting,
                          (first, _) -> first));
          return "{" + String.join(", ", bySection.values()) + "}";
        });
  }

  private static Rendered everywhere(String policy) {
    return Rendered.of(
        policy,
        Facts.cluster()
            .openShift("4.16")
            .coreOs("416.94.1")
            .node("rhcos4.16", "5.14.0-500", "416.94.2")
            .driverToolkit(Map.of("416.94.1", "dtk:1"))
            .trustedCa("ca")
            .proxy("HTTP_PROXY", "p")
            .configMap("cm", "a", "b")
            .serves("ServiceMonitor", "PrometheusRule"));
  }

  private static String wanted(String policy) {
    return String.join(" ", Rendered.of(policy, Facts.oneNode()).wanted());
  }
}
