package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.Deadline;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import io.fabric8.kubernetes.api.model.NodeAddress;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NeedsRealNodes
class RealNodeTest {
  private static final int UNUSED_PORT = 9;
  private static final Duration SOON = Duration.ofSeconds(60);
  @TempDir private static Path folder;
  private static RealCluster cluster;
  private static RealNode one;
  private static RealNode two;

  @BeforeAll
  static void start() throws IOException {
    var pci = Files.createDirectories(folder.resolve("pci/0000:41:00.0"));
    Files.writeString(pci.resolve("vendor"), "0x10de\n");
    var probe = StaticProgram.PROBE.imageIn(folder);
    var plain = NodeSpec.named("plain").withImage(probe);
    var special =
        NodeSpec.named("special")
            .withMount(pci.resolveSibling("."), "/sys/bus/pci/devices")
            .withMount(pci.resolve("vendor"), "/opt/made/for/it")
            .withDevice("/dev/nvidia0", 195, 0)
            .withKubeletSetting("topologyManagerPolicy: best-effort");
    cluster = RealCluster.start(plain, special);
    one = cluster.nodes().all().getFirst();
    two = cluster.nodes().all().getLast();
    two.importImage(probe);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aNodeIsReadyAndSaysWhatItRuns() {
    var status = status(one);

    assertThat(one.isReady()).isTrue();
    assertThat(status.getNodeInfo().getKubeletVersion()).isEqualTo("v" + Binary.KUBELET.version());
    assertThat(status.getNodeInfo().getContainerRuntimeVersion())
        .isEqualTo("containerd://" + Binary.CONTAINERD.version());
    assertThat(status.getAddresses())
        .extracting(NodeAddress::getType, NodeAddress::getAddress)
        .contains(tuple("InternalIP", one.address()));
  }

  @Test
  void aPodRunsAndReachesTheApiServer() {
    var pod = probe(one);

    assertThat(pod.words())
        .contains(
            "env GREETING=hello",
            "device /dev/null c 1:3 ok",
            "api-server HTTP/1.0 400 Bad Request",
            "done");
  }

  @Test
  void podsAreReachedFromTheMachineAndFromTheOtherNode() {
    var pod = probe(one);

    // A refusal comes from the pod's network; an address out of reach does not answer at all.
    assertThatThrownBy(() -> new Socket(pod.address(), UNUSED_PORT).close())
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("refused");
    var dial = "timeout 5 bash -c ': < /dev/tcp/%s/%d'".formatted(pod.address(), UNUSED_PORT);
    assertThat(two.exec("sh", "-c", dial).output()).contains("Connection refused");
  }

  @Test
  void nodesHaveFilesAndDevicesOfTheirOwn() throws IOException {
    assertThat(two.exec("ls", "/sys/bus/pci/devices").output()).isEqualTo("0000:41:00.0\n");
    assertThat(two.exec("cat", "/opt/made/for/it").output()).isEqualTo("0x10de\n");
    assertThat(two.exec("stat", "-c", "%t:%T", "/dev/nvidia0").output()).isEqualTo("c3:0\n");
    assertThat(one.exec("ls", "/sys/bus/pci/devices").output()).doesNotContain("0000:41:00.0");
    assertThat(one.exec("test", "-e", "/dev/nvidia0").succeeded()).isFalse();

    one.exec("touch", "/etc/only-here");
    assertThat(one.path("/etc/only-here")).exists();
    assertThat(two.path("/etc/only-here")).doesNotExist();
    assertThat(Path.of("/etc/only-here")).doesNotExist();
  }

  @Test
  void aProgramOfTheMachineRunsInANodeUntilItIsStopped() throws Exception {
    var sleeper = one.start("sleeper", "sh", "-c", "echo in $(hostname); exec sleep 600");
    Deadline.in(SOON).await(sleeper, () -> sleeper.logTail().equals("in plain"));
    var program = sleeper.process("nsenter").flatMap(it -> it.children().findFirst()).orElseThrow();

    sleeper.stop();

    program.onExit().get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aNewKubeletLeavesContainersAlone() {
    var pod = probe(one);
    var before = pod.container().getContainerID();

    one.restartKubelet();

    assertThat(one.isReady()).isTrue();
    assertThat(pod.container().getContainerID()).isEqualTo(before);
  }

  @Test
  void aNewContainerdLeavesContainersAlone() {
    var pod = probe(one);
    var before = pod.container().getContainerID();

    one.restartContainerd();

    // Once a new pod runs, the kubelet has found the new containerd.
    assertThat(probe(one).words()).contains("done");
    assertThat(pod.words()).contains("done");
    assertThat(pod.container().getContainerID()).isEqualTo(before);
  }

  @Test
  void reboot_keepsTheDisks_andRestartsThePods() throws IOException {
    var pod = probe(two);
    Files.writeString(two.path("/var/lib/kubelet/kept"), "");
    Files.writeString(two.path("/run/lost"), "");

    two.reboot();

    assertThat(two.path("/var/lib/kubelet/kept")).exists();
    assertThat(two.path("/run/lost")).doesNotExist();
    assertThat(two.path("/dev/nvidia0")).exists();
    pod.await(now -> ProbePod.containerOf(now).getRestartCount() > 0 && ProbePod.isRunning(now));
    assertThat(pod.words()).contains("api-server HTTP/1.0 400 Bad Request");
  }

  private static ProbePod probe(RealNode node) {
    return ProbePod.run(client(), ProbePodSpec.on(node).withVariable("GREETING", "hello"));
  }

  private static KubernetesClient client() {
    return cluster.controlPlane().client();
  }

  private static NodeStatus status(RealNode node) {
    return client().nodes().withName(node.name()).require().getStatus();
  }
}
