package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Files in driver containers: licences, parameters, package sources, certificates, subscriptions.
class DriverFilesTest {
  @Test
  void aLicenceIsMountedFromItsSecretBeforeAConfigMap() {
    var driver =
        driver(
            "licensingConfig: {secretName: licence, configMapName: old}",
            Facts.oneNode().secret("licence").configMap("old", "gridd.conf"));

    assertThat(driver.volumes()).containsEntry("licensing-config", "secret licence[gridd.conf]");
    assertThat(driver.main().mounts())
        .containsEntry("/drivers/gridd.conf", "licensing-config:gridd.conf ro");
  }

  @Test
  void aLicenceInAConfigMapStillCounts() {
    var driver =
        driver(
            "licensingConfig: {configMapName: old}",
            Facts.oneNode().configMap("old", "gridd.conf"));

    assertThat(driver.volumes()).containsEntry("licensing-config", "configMap old[gridd.conf]");
  }

  @Test
  void theTokenOfALicenceServerComesWithTheLicence() {
    var driver =
        driver(
            "licensingConfig: {secretName: licence, nlsEnabled: true}",
            Facts.oneNode().secret("licence"));

    assertThat(driver.volumes())
        .containsEntry(
            "licensing-config", "secret licence[gridd.conf, client_configuration_token.tok]");
    assertThat(driver.main().mounts())
        .containsEntry(
            "/drivers/ClientConfigToken/client_configuration_token.tok",
            "licensing-config:client_configuration_token.tok ro");
  }

  @Test
  void aLicenceServerWithoutLicenceMountsNothing() {
    assertThat(driver("licensingConfig: {nlsEnabled: true}", Facts.oneNode()).volumes())
        .doesNotContainKey("licensing-config");
  }

  @Test
  void aTopologyIsMountedWhereItsDaemonLooks() {
    var driver =
        driver(
            "virtualTopology: {config: topo}",
            Facts.oneNode().configMap("topo", "nvidia-topologyd.conf"));

    assertThat(driver.volumes())
        .containsEntry("topology-config", "configMap topo[nvidia-topologyd.conf]");
    assertThat(driver.main().mounts())
        .containsEntry(
            "/etc/nvidia/nvidia-topologyd.conf", "topology-config:nvidia-topologyd.conf ro");
  }

  @Test
  void everyFileOfModuleParametersIsMountedInOrder() {
    var driver =
        driver(
            "kernelModuleConfig: {name: params}, rdma: {enabled: true}",
            Facts.oneNode().configMap("params", "nvidia.conf", "nvidia-uvm.conf"));

    assertThat(driver.volumes())
        .containsEntry("params", "configMap params[nvidia-uvm.conf, nvidia.conf]");
    for (String container : new String[] {"nvidia-driver-ctr", "nvidia-peermem-ctr"}) {
      assertThat(driver.container(container).mounts())
          .contains(
              entry("/drivers/nvidia-uvm.conf", "params:nvidia-uvm.conf ro"),
              entry("/drivers/nvidia.conf", "params:nvidia.conf ro"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "run-nvidia",
    "Config.Of.Mine",
    "config",
    "a-name-of-more-than-sixty-three-characters-which-no-volume-can-have"
  })
  void aConfigMapWhoseNameNoVolumeCanHaveIsMountedUnderAnother(String name) {
    var driver =
        driver("kernelModuleConfig: {name: " + name + "}", Facts.oneNode().configMap(name, "a"));
    String volume = driver.main().mounts().getOrDefault("/drivers/a", "").replace(":a ro", "");

    assertThat(volume).matches("configmap-\\d+");
    assertThat(driver.volumes())
        .containsEntry(volume, "configMap " + name + "[a]")
        .containsEntry("run-nvidia", "/run/nvidia");
  }

  @ParameterizedTest
  @CsvSource({
    "centos7, /etc/yum.repos.d, /etc/pki/ca-trust/extracted/pem",
    "rhel9.4, /etc/yum.repos.d, /etc/pki/ca-trust/extracted/pem",
    "rocky9.4, /etc/yum.repos.d, /etc/pki/ca-trust/extracted/pem",
    "ol9.4, /etc/yum.repos.d, /etc/pki/ca-trust/extracted/pem",
    "rhcos4.16, /etc/yum.repos.d, /etc/pki/ca-trust/extracted/pem",
    "ubuntu24.04, /etc/apt/sources.list.d, /usr/local/share/ca-certificates",
    "debian12, /etc/apt/sources.list.d, /usr/local/share/ca-certificates",
    "sles15.5, /etc/zypp/repos.d, /etc/pki/trust/anchors",
    "sl-micro6.0, /etc/zypp/repos.d, /etc/pki/trust/anchors",
  })
  void packageSourcesGoWhereTheSystemLooks(String system, String repositories, String anchors) {
    var driver =
        driver(
            "repoConfig: {configMapName: repos}, certConfig: {name: certs}",
            Facts.cluster().node(system).configMap("repos", "a.list").configMap("certs", "b.crt"));

    assertThat(driver.main().mounts())
        .contains(
            entry(repositories + "/a.list", "repos:a.list ro"),
            entry(anchors + "/b.crt", "certs:b.crt ro"));
  }

  @Test
  void sideContainersThatInstallPackagesGetThemToo() {
    var facts = Facts.oneNode().configMap("repos", "a.list").secret("env");
    var driver =
        Rendered.of(
                "{driver: {repoConfig: {configMapName: repos}, secretEnv: env}, gds: {enabled: true}}",
                facts)
            .daemonSet("nvidia-driver-daemonset");

    assertThat(driver.container("nvidia-fs-ctr").mounts())
        .containsEntry("/etc/apt/sources.list.d/a.list", "repos:a.list ro");
    assertThat(driver.container("nvidia-fs-ctr").envFromSecrets()).containsExactly("env");
    assertThat(driver.main().envFromSecrets()).containsExactly("env");
  }

  @Test
  void systemWithUnknownPaths_isNamed() {
    var rendered =
        Rendered.of(
            "driver: {repoConfig: {configMapName: repos}}",
            Facts.cluster().node("flatcar3602").configMap("repos", "a"));

    assertThat(rendered.problems())
        .containsExactly(
            "spec.driver.repoConfig.configMapName is \"repos\": where package files belong on flatcar3602 is not known; clear the field");
  }

  @ParameterizedTest
  @CsvSource({
    "rhel9.4, CONTAINERD, 3",
    "rhel9.4, CRIO, 0",
    "rocky9.4, CONTAINERD, 0",
    "sles15.5, CRIO, 2"
  })
  void subscriptionsOfTheHostAreMountedWhereTheyAreUsed(
      String system, ContainerRuntime runtime, int count) {
    var driver = driver("enabled: true", Facts.cluster().node(system).runtime(runtime));

    assertThat(driver.volumes().keySet())
        .filteredOn(volume -> volume.startsWith("subscription-config-"))
        .hasSize(count);
  }

  @Test
  void subscriptionsAreInTheOrderOfTheirPaths() {
    var rhel = driver("enabled: true", Facts.cluster().node("rhel9.4"));

    assertThat(rhel.main().mounts())
        .contains(
            entry("/run/secrets/etc-pki-entitlement", "subscription-config-0 ro"),
            entry("/run/secrets/redhat.repo", "subscription-config-1 ro"),
            entry("/run/secrets/rhsm", "subscription-config-2 ro"));
    assertThat(rhel.volumes())
        .containsEntry("subscription-config-1", "/etc/yum.repos.d/redhat.repo");
  }

  @Test
  void ownRepositoriesReplaceTheSubscriptionOfRedHatButNotOfSuse() {
    var policy = "repoConfig: {configMapName: repos}";

    assertThat(driver(policy, Facts.cluster().node("rhel9.4").configMap("repos", "a")).volumes())
        .doesNotContainKey("subscription-config-0");
    assertThat(driver(policy, Facts.cluster().node("sles15.5").configMap("repos", "a")).volumes())
        .containsEntry("subscription-config-0", "/etc/SUSEConnect");
  }

  @Test
  void precompiledDriversInstallNoPackages() {
    var facts = Facts.cluster().node("sles15.5", "6.4.0").configMap("repos", "a").secret("env");
    var driver =
        Rendered.of(
                "driver: {usePrecompiled: true, image: 'a.io/d:1', repoConfig: {configMapName: repos}, secretEnv: env}",
                facts)
            .daemonSet("nvidia-driver-daemonset-6.4.0-sles15.5");

    assertThat(driver.volumes())
        .containsEntry("lib-modules", "/lib/modules")
        .doesNotContainKeys("repos", "subscription-config-0");
    assertThat(driver.main().mounts()).containsEntry("/run/host/lib/modules", "lib-modules ro");
    assertThat(driver.main().envFromSecrets()).isEmpty();
  }

  private static RenderedPods driver(String driver, Facts facts) {
    return Rendered.of("driver: {" + driver + "}", facts).daemonSet("nvidia-driver-daemonset");
  }
}
