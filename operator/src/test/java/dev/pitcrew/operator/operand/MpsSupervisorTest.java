package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The pods of the MPS control daemons beside the node agent.
class MpsSupervisorTest {
  private static final String NAME = "nvidia-device-plugin-mps-control-daemon";
  private static final String AGENT =
      "{enabled: true, functions: [devicePlugin%s], image: {repository: r.io, image: p, version: '1'}, imagePullSecrets: [ours]}";

  @Test
  void mpsSupervisor_replacesThatOfTheReferenceOnTheSameNodes() {
    var reference = Rendered.of("", Facts.oneNode()).daemonSet(NAME);
    var ours = pods("");

    assertThat(ours.selector()).isEqualTo(reference.selector());
    assertThat(ours.nodeSelector()).isEqualTo(reference.nodeSelector());
    assertThat(ours.podLabels()).containsEntry("app", NAME);
    assertThat(ours.containers()).containsExactly("mps-control-daemon-ctr");
    assertThat(ours.inits()).isEmpty();
    assertThat(ours.main().image()).isEqualTo("r.io/p:1");
    assertThat(ours.pod().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("ours");
  }

  @Test
  void onlyAUserReplacesItsPodsWhateverPaceThePolicyGives() {
    assertThat(pods("").updates()).isEqualTo("OnDelete");
    assertThat(pods("daemonsets: {rollingUpdate: {maxUnavailable: '3'}}").updates())
        .isEqualTo("OnDelete");
    assertThat(pods("").main().container().getLivenessProbe()).isNull();
  }

  @Test
  void mpsSupervisor_seesDriverAndProcessesOfTheHost_andSharesItsFoldersWithIt() {
    var pods = pods("");

    assertThat(pods.pod().getHostPID()).isTrue();
    assertThat(pods.pod().getAutomountServiceAccountToken()).isFalse();
    assertThat(pods.main().container().getCommand()).containsExactly("pitcrew-mps");
    assertThat(pods.main().args()).containsExactly("--driver-folder=/run/nvidia/driver");
    assertThat(pods.main().env()).containsExactly(entry("HOST_ROOT", "/host"));
    assertThat(pods.main().mounts())
        .containsEntry("/host", "host-root ro")
        .containsEntry("/mps", "mps-root")
        .containsEntry("/var/lib/pitcrew/mps", "state ro");
    assertThat(pods.main().container().getVolumeMounts())
        .filteredOn(mount -> "Bidirectional".equals(mount.getMountPropagation()))
        .extracting("mountPath")
        .containsExactly("/mps");
  }

  @Test
  void itsFoldersAreWhereThePolicyPutsThem() {
    var pods =
        pods("{devicePlugin: {mps: {root: /opt/mps}}, hostPaths: {driverInstallDir: /opt/driver}}");

    assertThat(pods.volumes()).containsEntry("mps-root", "/opt/mps");
    assertThat(pods.main().args()).containsExactly("--driver-folder=/opt/driver");
  }

  @Test
  void mpsSupervisor_runsAlsoWhereClaimsAreServed() {
    var pods = forClaims("{nodeSelector: {zone: a, gpu-claims: 'true'}}");

    assertThat(pods.nodeSelector()).doesNotContainKey("nvidia.com/mps.capable");
    assertThat(
            pods.pod()
                .getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms())
        .extracting(term ->
            term.getMatchExpressions().stream()
                .map(it -> it.getKey() + "=" + String.join(",", it.getValues()))
                .toList())
        .containsExactly(
            List.of("nvidia.com/mps.capable=true"), List.of("gpu-claims=true", "zone=a"));
    assertThat(pods.volumes()).containsEntry("claims", "/var/lib/kubelet/plugins/gpu.nvidia.com");
    assertThat(pods.main().container().getVolumeMounts())
        .filteredOn(mount -> "Bidirectional".equals(mount.getMountPropagation()))
        .extracting("mountPath")
        .containsExactlyInAnyOrder("/mps", "/claims");
  }

  @Test
  void mpsSupervisor_runsOnAllNodesWithGpus_whereAllServeClaims() {
    var pods = forClaims("{nodeSelector: {}}");

    assertThat(pods.nodeSelector()).doesNotContainKey("nvidia.com/mps.capable");
    assertThat(pods.pod().getAffinity()).isNull();
  }

  @Test
  void withoutTheGate_claimsNeedNoSupervisor() {
    for (String dra : List.of("{}", "{nodeSelector: {}, featureGates: {MPSSupport: false}}")) {
      assertThat(forClaims(dra).nodeSelector()).containsEntry("nvidia.com/mps.capable", "true");
      assertThat(forClaims(dra).volumes()).doesNotContainKey("claims");
    }
  }

  private static RenderedPods forClaims(String dra) {
    return Rendered.withOrders(AGENT.formatted(", mps, dra"), "{dra: %s}".formatted(dra))
        .daemonSet(NAME);
  }

  @Test
  void mpsSupervisor_needsNoApiServer() {
    var objects = Rendered.withAgent(AGENT.formatted(", mps"), "", Facts.oneNode()).objects();

    assertThat(objects)
        .contains("ServiceAccount/" + NAME)
        .doesNotContain("ClusterRole/" + NAME, "ClusterRoleBinding/" + NAME);
  }

  @Test
  void withoutTheFunctionTheReferencesStays() {
    var pods = Rendered.withAgent(AGENT.formatted(""), "", Facts.oneNode()).daemonSet(NAME);

    assertThat(pods.main().container().getCommand()).containsExactly("mps-control-daemon");
  }

  private static RenderedPods pods(String policy) {
    return Rendered.withAgent(AGENT.formatted(", mps"), policy, Facts.oneNode()).daemonSet(NAME);
  }
}
