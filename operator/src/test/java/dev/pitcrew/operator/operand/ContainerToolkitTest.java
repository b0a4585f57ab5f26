package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerToolkitTest {
  @Test
  void withCdiTheRuntimeIsSetUpForItAndIsNotTheDefault() {
    assertThat(toolkit("cdi: {enabled: true}").main().env())
        .contains(
            entry("CDI_ENABLED", "true"),
            entry("NVIDIA_RUNTIME_SET_AS_DEFAULT", "false"),
            entry("NVIDIA_CONTAINER_RUNTIME_MODE", "cdi"),
            entry("CRIO_CONFIG_MODE", "config"))
        .doesNotContainKey("ENABLE_NRI_PLUGIN");
  }

  @ParameterizedTest
  @CsvSource({"CRIO, hook", "CONTAINERD, (not set)"})
  void withoutCdi_onlyCrioGetsAMode(ContainerRuntime runtime, String mode) {
    var toolkit = toolkit("cdi: {enabled: false}", Facts.oneNode().runtime(runtime)).main();

    assertThat(toolkit.env("CRIO_CONFIG_MODE")).isEqualTo(mode);
    assertThat(toolkit.env()).doesNotContainKey("CDI_ENABLED");
  }

  @Test
  void anotherDirectoryMovesTheInstallation() {
    var toolkit = toolkit("toolkit: {installDir: /opt/nv}");

    assertThat(toolkit.main().env("ROOT")).isEqualTo("/opt/nv");
    assertThat(toolkit.volumes()).containsEntry("toolkit-install-dir", "/opt/nv");
    assertThat(toolkit.main().mounts())
        .containsEntry("/opt/nv", "toolkit-install-dir")
        .doesNotContainKey("/usr/local/nvidia");
  }

  @Test
  void hooksOfCrioGoWhereItLooksExceptOnOpenShift() {
    String usual = "/run/containers/oci/hooks.d";

    assertThat(toolkit("").volumes()).containsEntry("crio-hooks", usual);
    assertThat(toolkit("", Facts.openShift()).volumes()).containsEntry("crio-hooks", usual);
    assertThat(toolkit("", Facts.oneNode().runtime(ContainerRuntime.CRIO)).volumes())
        .containsEntry("crio-hooks", "/usr/share/containers/oci/hooks.d");
  }

  @ParameterizedTest
  @CsvSource({
    "CONTAINERD, containerd, /etc/containerd, config.toml, CONTAINERD_CONFIG",
    "CRIO, crio, /etc/crio, config.toml, CRIO_CONFIG",
    "DOCKER, docker, /etc/docker, daemon.json, DOCKER_CONFIG",
  })
  void theConfigurationOfTheRuntimeIsMounted(
      ContainerRuntime runtime, String id, String folder, String file, String variable) {
    var toolkit = toolkit("", Facts.oneNode().runtime(runtime));

    assertThat(toolkit.main().env())
        .contains(
            entry("RUNTIME", id),
            entry("RUNTIME_CONFIG", "/runtime/config-dir/" + file),
            entry(variable, "/runtime/config-dir/" + file));
    assertThat(toolkit.volumes()).containsEntry(id + "-config", folder);
    assertThat(toolkit.main().mounts()).containsEntry("/runtime/config-dir/", id + "-config");
  }

  @ParameterizedTest
  @CsvSource({
    "CONTAINERD, /etc/containerd/conf.d, /etc/containerd/conf.d/99-nvidia.toml",
    "CRIO, /etc/crio/crio.conf.d, /etc/crio/crio.conf.d/99-nvidia.conf",
    "DOCKER, (none), (not set)",
  })
  void dropInsGoIntoTheFolderOfTheRuntime(ContainerRuntime runtime, String folder, String path) {
    var toolkit = toolkit("", Facts.oneNode().runtime(runtime));

    assertThat(toolkit.volumes().getOrDefault(runtime.id() + "-drop-in-config", "(none)"))
        .isEqualTo(folder);
    assertThat(toolkit.main().env("RUNTIME_DROP_IN_CONFIG_HOST_PATH")).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource({
    "CONTAINERD, /run/containerd, /runtime/sock-dir/containerd.sock",
    "CRIO, (none), (not set)",
    "DOCKER, /var/run, /runtime/sock-dir/docker.sock",
  })
  void theSocketOfTheRuntimeIsMountedWhereItIsSignalledThrough(
      ContainerRuntime runtime, String folder, String socket) {
    var toolkit = toolkit("", Facts.oneNode().runtime(runtime));

    assertThat(toolkit.volumes().getOrDefault(runtime.id() + "-socket", "(none)"))
        .isEqualTo(folder);
    assertThat(toolkit.main().env("RUNTIME_SOCKET")).isEqualTo(socket);
  }

  @Test
  void pathsOfTheUserWinOverTheUsualOnes() {
    var toolkit =
        toolkit(
            """
            toolkit:
              env:
              - {name: RUNTIME_CONFIG, value: /not/this/one}
              - {name: CONTAINERD_CONFIG, value: /var/lib/k3s/containerd/my.toml}
              - {name: RUNTIME_DROP_IN_CONFIG, value: /drop/in/x.toml}
              - {name: CONTAINERD_SOCKET, value: /run/k3s/c.sock}
              - {name: RUNTIME_CONFIG_SOURCE, value: 'file=/a,command'}
            """);

    assertThat(toolkit.volumes())
        .contains(
            entry("containerd-config", "/var/lib/k3s/containerd"),
            entry("containerd-drop-in-config", "/drop/in"),
            entry("containerd-socket", "/run/k3s"));
    assertThat(toolkit.main().env())
        .contains(
            entry("CONTAINERD_CONFIG", "/runtime/config-dir/my.toml"),
            entry("RUNTIME_CONFIG", "/runtime/config-dir/my.toml"),
            entry("RUNTIME_DROP_IN_CONFIG", "/runtime/config-dir.d/x.toml"),
            entry("CONTAINERD_SOCKET", "/runtime/sock-dir/c.sock"),
            entry("RUNTIME_CONFIG_SOURCE", "file=/host/a,command"));
  }

  @Test
  void containerd_getsTheRuntimeClass() {
    assertThat(toolkit("operator: {runtimeClass: gold}").main().env("CONTAINERD_RUNTIME_CLASS"))
        .isEqualTo("gold");
  }

  @Test
  void theNriPluginNeedsItsSocketAndNothingOfTheRuntime() {
    var toolkit = toolkit("cdi: {enabled: true, nriPluginEnabled: true}");

    assertThat(toolkit.main().env())
        .contains(
            entry("ENABLE_NRI_PLUGIN", "true"),
            entry("NRI_SOCKET", "/runtime/nri-sock-dir/nri.sock"))
        .doesNotContainKeys("RUNTIME_CONFIG", "RUNTIME_SOCKET", "CONTAINERD_RUNTIME_CLASS");
    assertThat(toolkit.volumes())
        .containsEntry("nri-socket", "/var/run/nri")
        .doesNotContainKeys("containerd-config", "containerd-socket");
  }

  // defect 30
  @Test
  void argumentsReachTheToolkitThroughItsEntryScript() {
    var toolkit = toolkit("toolkit: {args: [--a, b c]}").main();

    assertThat(toolkit.command()).containsExactly("/bin/sh", "-c");
    assertThat(toolkit.args())
        .containsExactly("/bin/entrypoint.sh \"$@\"", "/bin/entrypoint.sh", "--a", "b c");
    assertThat(
            Rendered.of("", Facts.oneNode())
                .configMap("nvidia-container-toolkit-entrypoint")
                .getData()
                .get("entrypoint.sh"))
        .endsWith("exec nvidia-toolkit \"$@\"\n");
  }

  @Test
  void withoutArgumentsTheEntryScriptIsStartedAsItAlwaysWas() {
    assertThat(toolkit("").main().args()).containsExactly("/bin/entrypoint.sh");
  }

  private static RenderedPods toolkit(String policy) {
    return toolkit(policy, Facts.oneNode());
  }

  private static RenderedPods toolkit(String policy, Facts facts) {
    return Rendered.of(policy, facts).daemonSet("nvidia-container-toolkit-daemonset");
  }
}
