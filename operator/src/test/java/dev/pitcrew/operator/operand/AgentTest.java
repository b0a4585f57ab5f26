package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The DaemonSet of the node agent.
class AgentTest {
  private static final String ON =
      "enabled: true, functions: [labels, devicePlugin], image: {repository: r.io, image: p, version: '1'}";

  @Test
  void agent_runsOnlyOnLinuxNodesWithAGpu() {
    var pods = agent("", "");

    assertThat(pods.nodeSelector())
        .containsExactly(
            entry("kubernetes.io/os", "linux"), entry("nvidia.com/gpu.present", "true"));
    assertThat(Rendered.withAgent("{" + ON + "}", "", Facts.cluster()).daemonSets())
        .as("before the first GPU is known")
        .containsExactly("pitcrew-gpu-detector", "pitcrew-agent");
    assertThat(pods.pod().getPriorityClassName()).isEqualTo("system-node-critical");
  }

  @Test
  void agent_runsUnderTheGate_whichAnswersTheProbes() {
    var pods = agent("", "");
    var container = pods.main().container();

    assertThat(container.getCommand()).containsExactly("pitcrew");
    assertThat(container.getArgs()).containsExactly("agent");
    assertThat(container.getStartupProbe()).isNull();
    assertThat(command(container.getLivenessProbe())).isEqualTo("pitcrew probe live agent");
    assertThat(command(container.getReadinessProbe())).isEqualTo("pitcrew probe ready agent");
    assertThat(List.of(container.getLivenessProbe(), container.getReadinessProbe()))
        .extracting(Probe::getTimeoutSeconds)
        .containsOnly(2);
    assertThat(pods.pod().getTerminationGracePeriodSeconds()).isGreaterThan(25);
  }

  private static String command(Probe probe) {
    return String.join(" ", probe.getExec().getCommand());
  }

  @Test
  void agent_seesTheHostAndItsProcesses_andHasItsOwnNetwork() {
    var pods = agent("", "");

    assertThat(pods.pod().getHostPID()).isTrue();
    assertThat(pods.pod().getHostNetwork()).isNull();
    assertThat(pods.main().user()).isZero();
    assertThat(pods.main().env())
        .containsExactly(
            entry("HOST_ROOT", "/host"),
            entry("NODE_NAME", "<spec.nodeName>"),
            entry("POD_NAME", "<metadata.name>"),
            entry("OPERATOR_NAMESPACE", "<metadata.namespace>"),
            entry("AGENT_CONFIG_MAP", "pitcrew-agent"));
    assertThat(pods.main().mounts())
        .as("the set-up of the runtime writes below /etc of the host")
        .containsEntry("/host", "host-root")
        .containsEntry("/run/nvidia", "run-nvidia")
        .containsEntry("/dev", "host-dev")
        .containsEntry("/var/lib/kubelet/device-plugins", "device-plugin")
        .containsEntry("/var/run/cdi", "cdi-root")
        .containsEntry("/var/lib/pitcrew", "state");
    assertThat(pods.main().container().getVolumeMounts())
        .filteredOn(mount -> "HostToContainer".equals(mount.getMountPropagation()))
        .extracting("mountPath")
        .containsExactlyInAnyOrder("/host", "/run/nvidia");
  }

  @Test
  void driverOfClaims_hasTheKubeletsFoldersAndRights_whereTheAgentProvidesIt() {
    String serves =
        "enabled: true, functions: [devicePlugin, dra], image: {repository: r.io, image: p, version: '1'}";
    var rendered = Rendered.withAgent("{" + serves + "}", "", Facts.oneNode());
    var moved =
        Rendered.withAgent("{" + serves + "}", "hostPaths: {kubeletRootDir: /k}", Facts.oneNode())
            .daemonSet("pitcrew-agent");

    assertThat(rendered.daemonSet("pitcrew-agent").volumes())
        .containsEntry("kubelet-plugins", "/var/lib/kubelet/plugins")
        .containsEntry("kubelet-registry", "/var/lib/kubelet/plugins_registry");
    assertThat(moved.volumes())
        .containsEntry("kubelet-plugins", "/k/plugins")
        .containsEntry("kubelet-registry", "/k/plugins_registry");
    assertThat(moved.main().env()).contains(entry("KUBELET_ROOT_DIR", "/k"));
    assertThat(moved.main().mounts())
        .containsEntry("/var/lib/kubelet/plugins", "kubelet-plugins")
        .containsEntry("/var/lib/kubelet/plugins_registry", "kubelet-registry");
    assertThat(rendered.objects("ClusterRole")).contains("pitcrew-agent-dra");
    var without = Rendered.withAgent("{" + ON + "}", "", Facts.oneNode());
    assertThat(without.objects("ClusterRole"))
        .contains("pitcrew-agent")
        .doesNotContain("pitcrew-agent-dra");
    assertThat(agent("", "").volumes()).doesNotContainKey("kubelet-plugins");
  }

  @Test
  void agentsReadComputeDomainsOnlyWhereTheyServeThem() {
    String serves =
        "{enabled: true, functions: [dra], image: {repository: r.io, image: p, version: '1'}}";
    String role = "pitcrew-agent-computedomains";

    assertThat(
            Rendered.withOrders(serves, "{dra: {computeDomains: {enabled: true}}}")
                .objects("ClusterRole"))
        .contains(role);
    assertThat(Rendered.withOrders(serves, "{dra: {computeDomains: {}}}").objects("ClusterRole"))
        .doesNotContain(role);
    assertThat(
            Rendered.withOrders("{" + ON + "}", "{dra: {computeDomains: {enabled: true}}}")
                .objects("ClusterRole"))
        .as("without the function dra")
        .doesNotContain(role);
  }

  @Test
  void pathsOfTheHostAreThoseOfThePolicy() {
    var pods =
        agent("", "hostPaths: {rootFS: /mnt/root, driverInstallDir: /opt/d, kubeletRootDir: /k}");

    assertThat(pods.volumes())
        .containsEntry("host-root", "/mnt/root")
        .containsEntry("device-plugin", "/var/lib/kubelet/device-plugins");
    assertThat(pods.main().env("HOST_ROOT")).as("its own mount of it").isEqualTo("/host");
    assertThat(pods.main().mountPaths())
        .as("where the agent looks stays the same")
        .contains("/host", "/var/lib/kubelet/device-plugins");
  }

  @Test
  void agent_requestsEnoughToStartOnABusyNode_unlessTheFleetPolicySaysOtherwise() {
    var standard = agent("", "").main();
    var given = agent("resources: {limits: {memory: 1Gi}}", "").main();

    assertThat(standard.requests()).containsOnly(entry("cpu", "50m"), entry("memory", "64Mi"));
    assertThat(standard.container().getResources().getLimits()).hasToString("{memory=384Mi}");
    assertThat(given.requests()).isEmpty();
    assertThat(given.container().getResources().getLimits()).hasToString("{memory=1Gi}");
  }

  @Test
  void agent_toleratesGpuTaintsAndItsOwn_butNotControlPlanes() {
    var policy = "daemonsets: {tolerations: [{key: team, operator: Exists}]}";

    assertThat(agent("tolerations: [{key: mine, operator: Exists}]", policy).pod().getTolerations())
        .extracting(AgentTest::words)
        .containsExactly(
            "team",
            "nvidia.com/gpu",
            "pitcrew.dev/gpu-not-ready",
            "pitcrew.dev/gpu-unhealthy",
            "mine");
  }

  @Test
  void itsImageIsPulledWithTheSecretsOfTheFleetPolicy() {
    assertThat(agent("imagePullSecrets: [a, b]", "").pod().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("a", "b");
  }

  private static String words(Toleration toleration) {
    assertThat(toleration.getOperator()).isEqualTo("Exists");
    return toleration.getEffect() == null
        ? toleration.getKey()
        : toleration.getKey() + " " + toleration.getEffect();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                                   | RollingUpdate 0 surge 10%",
        "daemonsets: {rollingUpdate: {maxUnavailable: '1'}}   | RollingUpdate 0 surge 10%",
        "daemonsets: {rollingUpdate: {maxUnavailable: '3'}}   | RollingUpdate 3",
        "daemonsets: {rollingUpdate: {maxUnavailable: '25%'}} | RollingUpdate 25%",
        "daemonsets: {updateStrategy: OnDelete}               | OnDelete",
      })
  void theNewOneStartsBesideTheOldOnATenthOfTheNodesUnlessThePolicyGivesAnotherPace(
      String policy, String updates) {
    assertThat(agent("", policy).updates()).isEqualTo(updates);
  }

  private static RenderedPods agent(String settings, String policy) {
    var section = "{" + ON + (settings.isEmpty() ? "" : ", " + settings) + "}";
    return Rendered.withAgent(section, policy, Facts.oneNode()).daemonSet("pitcrew-agent");
  }
}
