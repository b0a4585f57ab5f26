package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Volumes;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverConfigDigestTest {
  @Test
  void theDigestIsTheOneThatRunningDriversWereInstalledWith() {
    var draft = draft().volume(Volumes.secret("licensing-config", "test-secret", List.of()));
    draft
        .find("nvidia-driver-ctr")
        .image("nvcr.io/nvidia/driver:570.172.08-ubuntu20.04")
        .mountFile("licensing-config", "/drivers/gridd.conf", "gridd.conf");
    draft.find("k8s-driver-manager").image("nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.8.0");

    assertThat(DriverConfigDigest.of(draft)).isEqualTo("1164839178");
  }

  @Test
  void theOrderOfVariablesVolumesAndMountsDoesNotMatter() {
    var one = draft().hostPath("a", "/a", "").hostPath("b", "/b", "");
    var other = draft().hostPath("b", "/b", "").hostPath("a", "/a", "");
    one.find("nvidia-driver-ctr").env("A", "1").env("B", "2").mount("a", "/x").mount("a", "/y");
    other.find("nvidia-driver-ctr").env("B", "2").env("A", "1").mount("a", "/y").mount("a", "/x");

    assertThat(DriverConfigDigest.of(one)).isEqualTo(DriverConfigDigest.of(other));
  }

  @Test
  void variablesThatComeFromTheNodeDoNotCount() {
    var with = draft();
    with.find("nvidia-driver-ctr").envFromField("NODE_NAME", "spec.nodeName");

    assertThat(DriverConfigDigest.of(with)).isEqualTo(DriverConfigDigest.of(draft()));
  }

  @Test
  void digest_isTheSameInEveryContainerThatComparesIt() {
    var pods =
        Rendered.of(
                "",
                Facts.cluster()
                    .openShift("4.16")
                    .coreOs("416.94")
                    .driverToolkit(Map.of("416.94", "dtk:1")))
            .daemonSet("nvidia-driver-daemonset-416.94");
    String digest = digest(pods);

    assertThat(digest).matches("\\d+");
    assertThat(pods.container("k8s-driver-manager").env("DRIVER_CONFIG_DIGEST")).isEqualTo(digest);
    assertThat(pods.container("openshift-driver-toolkit-ctr").env("DRIVER_CONFIG_DIGEST"))
        .isEqualTo(digest);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "driver: {image: 'a.io/other:1'}",
        "driver: {args: [init, -x]}",
        "driver: {env: [{name: A, value: b}]}",
        "driver: {manager: {env: [{name: A, value: b}]}}",
        "driver: {manager: {image: 'a.io/manager:1'}}",
        "driver: {kernelModuleType: open}",
        "driver: {licensingConfig: {secretName: licence}}",
        "driver: {secretEnv: licence}",
        "driver: {rdma: {enabled: true}}",
        "gds: {enabled: true}",
        "gdrcopy: {enabled: true}",
        "hostPaths: {rootFS: /host-root}",
      })
  void whateverDecidesOnTheInstalledDriverChangesIt(String policy) {
    assertThat(digest(driver(policy))).isNotEqualTo(digest(driver("")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "driver: {resources: {requests: {cpu: 1}}}",
        "driver: {livenessProbe: {periodSeconds: 60}}",
        "driver: {imagePullPolicy: Always}",
        "driver: {hostNetwork: true}",
        "daemonsets: {labels: {team: gpu}, tolerations: [{operator: Exists}]}",
        "toolkit: {enabled: false}",
      })
  void whateverDoesNotLeavesLoadedDriversAlone(String policy) {
    assertThat(digest(driver(policy))).isEqualTo(digest(driver("")));
  }

  private static RenderedPods driver(String policy) {
    return Rendered.of(policy, Facts.oneNode().secret("licence"))
        .daemonSet("nvidia-driver-daemonset");
  }

  private static String digest(RenderedPods pods) {
    return pods.main().env("DRIVER_CONFIG_DIGEST");
  }

  private static DaemonSetDraft draft() {
    return DaemonSetDraft.ofApp("nvidia-driver-daemonset", "driver")
        .init(new ContainerDraft("k8s-driver-manager"))
        .container(new ContainerDraft("nvidia-driver-ctr"));
  }
}
