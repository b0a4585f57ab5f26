package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each setting of `spec.driver` and of the modules beside it.
class DriverSettingsTest {
  @Test
  void theDriverManagerHasItsOwnImageVariablesAndSecretsAndTheDriversResources() {
    var driver =
        driver(
            """
            driver:
              resources: {requests: {cpu: 2}}
              imagePullSecrets: [b]
              rdma: {enabled: true, useHostMofed: true}
              manager:
                image: a.io/manager:1
                imagePullPolicy: Never
                imagePullSecrets: [a]
                env: [{name: DRAIN_USE_FORCE, value: 'true'}, {name: MORE, value: x}]
            """);
    var manager = driver.container("k8s-driver-manager");

    assertThat(manager.image()).isEqualTo("a.io/manager:1");
    assertThat(manager.pullPolicy()).isEqualTo("Never");
    assertThat(manager.requests()).containsEntry("cpu", "2");
    assertThat(manager.env())
        .contains(
            entry("GPU_DIRECT_RDMA_ENABLED", "true"),
            entry("USE_HOST_MOFED", "true"),
            entry("DRAIN_USE_FORCE", "true"),
            entry("MORE", "x"));
    assertThat(driver.pullSecrets()).containsExactly("a", "b");
  }

  @Test
  void theDriverHasWhatItsSectionSays() {
    var driver =
        driver(
            """
            driver:
              imagePullPolicy: Always
              resources: {limits: {memory: 1Gi}}
              args: [init, --fast]
              env: [{name: A, value: '1'}, {name: NODE_IP, value: fixed}]
              hostNetwork: true
            """);

    assertThat(driver.main().pullPolicy()).isEqualTo("Always");
    assertThat(driver.main().args()).containsExactly("init", "--fast");
    assertThat(driver.main().env()).contains(entry("A", "1"), entry("NODE_IP", "fixed"));
    assertThat(driver.pod().getHostNetwork()).isTrue();
    assertThat(driver.pod().getDnsPolicy()).isEqualTo("ClusterFirstWithHostNet");
  }

  @ParameterizedTest
  @CsvSource({
    "open, open, true",
    "proprietary, proprietary, (not set)",
    "auto, auto, (not set)",
    "'', (not set), (not set)"
  })
  void kernelModuleType_isPassedToTheDriver(String type, String expected, String open) {
    var driver = driver("driver: {kernelModuleType: '" + type + "'}").main();

    assertThat(driver.env("KERNEL_MODULE_TYPE")).isEqualTo(expected);
    assertThat(driver.env("OPEN_KERNEL_MODULES_ENABLED")).isEqualTo(open);
  }

  @Test
  void numbersOfTheStartupProbeAreLaidOverOurs() {
    var probe =
        driver("driver: {startupProbe: {periodSeconds: 5, failureThreshold: 0}}")
            .main()
            .container()
            .getStartupProbe();

    assertThat(probe.getPeriodSeconds()).isEqualTo(5);
    assertThat(probe.getFailureThreshold()).isEqualTo(120);
    assertThat(probe.getTimeoutSeconds()).isEqualTo(60);
  }

  // defect 17
  @Test
  void livenessAndReadinessProbesWorkThoughTheDriverHasNoneOfItsOwn() {
    var driver =
        driver("driver: {livenessProbe: {periodSeconds: 40}, readinessProbe: {timeoutSeconds: 9}}")
            .main()
            .container();

    assertThat(driver.getLivenessProbe().getPeriodSeconds()).isEqualTo(40);
    assertThat(driver.getLivenessProbe().getTimeoutSeconds())
        .as("nvidia-smi may take seconds")
        .isEqualTo(60);
    assertThat(driver.getReadinessProbe().getTimeoutSeconds()).isEqualTo(9);
    assertThat(driver.getReadinessProbe().getExec().getCommand())
        .isEqualTo(driver.getStartupProbe().getExec().getCommand());
  }

  @Test
  void aDriverWithoutProbeSettingsHasOnlyItsStartupProbe() {
    assertThat(driver("").main().container().getLivenessProbe()).isNull();
    assertThat(driver("").main().container().getReadinessProbe()).isNull();
  }

  @Test
  void onlyTheDriverRunsWhereNothingElseIsOn() {
    assertThat(driver("").containers()).containsExactly("nvidia-driver-ctr");
  }

  @Test
  void rdma_addsPeermem_andConfiguresTheDriver() {
    var driver =
        driver("driver: {imagePullPolicy: Always, rdma: {enabled: true, useHostMofed: true}}");
    var peermem = driver.container("nvidia-peermem-ctr");

    assertThat(peermem.image()).isEqualTo(driver.main().image());
    assertThat(peermem.pullPolicy()).isEqualTo("Always");
    assertThat(peermem.env("USE_HOST_MOFED")).isEqualTo("true");
    assertThat(driver.main().env())
        .contains(entry("GPU_DIRECT_RDMA_ENABLED", "true"), entry("USE_HOST_MOFED", "true"));
    assertThat(driver.volumes()).containsEntry("mlnx-ofed-usr-src", "/usr/src");
  }

  @ParameterizedTest
  @CsvSource({
    "gds, nvidia-fs-ctr, GDS_ENABLED, example.com/gds:1-ubuntu22.04",
    "gdrcopy, nvidia-gdrcopy-ctr, GDRCOPY_ENABLED, example.com/gdrcopy:1-ubuntu22.04",
  })
  void aFurtherModuleHasItsOwnContainer(
      String section, String container, String variable, String image) {
    var driver =
        driver(section + ": {enabled: true, imagePullSecrets: [s], env: [{name: A, value: b}]}");

    assertThat(driver.container(container).image()).isEqualTo(image);
    assertThat(driver.container(container).env("A")).isEqualTo("b");
    assertThat(driver.main().env(variable)).isEqualTo("true");
    assertThat(driver.pullSecrets()).containsExactly("s");
  }

  @Test
  void storageThatNeedsTheOpenModulesIsRefusedBesideTheProprietaryOnes() {
    var policy =
        "{driver: {kernelModuleType: proprietary}, gds: {enabled: true, repository: r.io, image: gds, version: v2.17.5}}";

    assertThat(Rendered.of(policy, Facts.oneNode()).problems())
        .containsExactly(
            "spec.gds.version is \"v2.17.5\": since 2.17.5 GPUDirect Storage needs the open kernel modules; set spec.driver.kernelModuleType to open or auto");
  }

  @ParameterizedTest
  @CsvSource({
    "auto, v2.17.5",
    "open, v2.17.5",
    "proprietary, v2.17.4",
    "proprietary, 2.16",
  })
  void storageGoesWithTheModulesThatItNeeds(String modules, String version) {
    var policy =
        "{driver: {kernelModuleType: %s}, gds: {enabled: true, repository: r.io, image: gds, version: '%s'}}"
            .formatted(modules, version);

    assertThat(Rendered.of(policy, Facts.oneNode()).problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"gds", "gdrcopy"})
  void aFurtherModuleCannotBeBuiltBesidePrecompiledDrivers(String section) {
    var policy =
        "{driver: {usePrecompiled: true, image: 'a.io/d:1'}, " + section + ": {enabled: true}}";

    assertThat(Rendered.of(policy, Facts.oneNode()).problems())
        .containsExactly(
            "spec.%s.enabled is \"true\": it cannot be built beside precompiled drivers; switch it or spec.driver.usePrecompiled off"
                .formatted(section));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "repoConfig: {configMapName: x}                 | ConfigMapMissing | spec.driver.repoConfig.configMapName",
        "certConfig: {name: x}                          | ConfigMapMissing | spec.driver.certConfig.name",
        "kernelModuleConfig: {name: x}                  | ConfigMapMissing | spec.driver.kernelModuleConfig.name",
        "virtualTopology: {config: x}                   | ConfigMapMissing | spec.driver.virtualTopology.config",
        "licensingConfig: {configMapName: x}            | ConfigMapMissing | spec.driver.licensingConfig.configMapName",
        "licensingConfig: {secretName: x}               | SecretMissing    | spec.driver.licensingConfig.secretName",
        "secretEnv: x                                   | SecretMissing    | spec.driver.secretEnv",
      })
  void objectThatAPolicyNames_mustExist(String driver, String reason, String field) {
    var rendered = Rendered.of("driver: {" + driver + "}", Facts.oneNode());

    assertThat(rendered.reasons()).containsExactly(reason);
    assertThat(rendered.problems().getFirst())
        .startsWith(field + " is \"x\": namespace gpu-operator has no ")
        .endsWith("create it or clear the field");
    assertThat(rendered.blocked()).containsExactly("state-driver");
  }

  @Test
  void openShift_passesItsVersion_andItsProxyInBothSpellings() {
    var facts =
        Facts.openShift()
            .proxy("NO_PROXY", ".svc")
            .proxy("HTTPS_PROXY", "p:2")
            .proxy("HTTP_PROXY", "p:1");
    var driver = Rendered.of("", facts).daemonSet("nvidia-driver-daemonset");

    assertThat(driver.main().env("OPENSHIFT_VERSION")).isEqualTo("4.16");
    assertThat(driver.main().variables())
        .containsSubsequence(
            "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy");
    assertThat(driver.container("k8s-driver-manager").env()).doesNotContainKey("HTTP_PROXY");
  }

  @Test
  void precompiledDriversNeedNoProxy() {
    var driver =
        Rendered.of(
                "driver: {usePrecompiled: true, image: 'a.io/d:1'}",
                Facts.cluster()
                    .openShift("4.16")
                    .node("rhcos4.16", "5.14")
                    .proxy("HTTP_PROXY", "p"))
            .daemonSet("nvidia-driver-daemonset-5.14-rhcos4.16");

    assertThat(driver.main().env()).doesNotContainKeys("HTTP_PROXY", "OPENSHIFT_VERSION");
  }

  // defect 20: rendered without data, so that applying it never resets what OpenShift injects.
  @Test
  void theTrustedBundleIsMountedFromAConfigMapWhoseContentIsNotOurs() {
    var rendered = Rendered.of("", Facts.openShift().trustedCa("user-ca"));
    ConfigMap bundle = rendered.configMap("gpu-operator-trusted-ca");
    var driver = rendered.daemonSet("nvidia-driver-daemonset");

    assertThat(bundle.getData()).isNullOrEmpty();
    assertThat(bundle.getMetadata().getLabels())
        .containsEntry("config.openshift.io/inject-trusted-cabundle", "true");
    assertThat(driver.volumes())
        .containsEntry(
            "gpu-operator-trusted-ca",
            "configMap gpu-operator-trusted-ca[ca-bundle.crt>tls-ca-bundle.pem]");
    assertThat(driver.main().mounts())
        .containsEntry("/etc/pki/ca-trust/extracted/pem", "gpu-operator-trusted-ca ro");
  }

  @Test
  void withoutTrustedBundleThereIsNoConfigMapForOne() {
    assertThat(Rendered.of("", Facts.openShift()).objects("ConfigMap"))
        .doesNotContain("gpu-operator-trusted-ca");
  }

  private static RenderedPods driver(String policy) {
    return Rendered.of(policy, Facts.oneNode()).daemonSet("nvidia-driver-daemonset");
  }
}
