package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kubectl gpu top` with the real kubectl, through the proxy of a real API server to a server that
/// has pages as agents write them.
@WithControlPlane
class TopCommandTest {
  private static final String PAGE =
      """
      # TYPE DCGM_FI_DEV_GPU_UTIL gauge
      DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-gpu-1-0"} 98
      DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-gpu-1-1"} 0
      DCGM_FI_DEV_GPU_UTIL{gpu="2",UUID="GPU-gpu-1-2"} 0
      DCGM_FI_DEV_GPU_UTIL{gpu="3",UUID="GPU-gpu-1-3"} 0
      DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-gpu-1-0"} 72909
      DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-gpu-1-1"} 409
      DCGM_FI_DEV_FB_FREE{gpu="0",UUID="GPU-gpu-1-0"} 8650
      DCGM_FI_DEV_FB_FREE{gpu="1",UUID="GPU-gpu-1-1"} 81150
      DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-gpu-1-0"} 688.100000
      DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-gpu-1-0"} 71
      # TYPE pitcrew_gpu_utilization_below_seconds gauge
      pitcrew_gpu_utilization_below_seconds{UUID="GPU-gpu-1-0",below="0.05",gpu="0"} 0
      pitcrew_gpu_utilization_below_seconds{UUID="GPU-gpu-1-0",below="+Inf",gpu="0"} 30000
      pitcrew_gpu_utilization_below_seconds{UUID="GPU-gpu-1-1",below="0.05",gpu="1"} 21600
      pitcrew_gpu_utilization_below_seconds{UUID="GPU-gpu-1-1",below="+Inf",gpu="1"} 30000
      # TYPE pitcrew_gpu_holder_seconds gauge
      pitcrew_gpu_holder_seconds{UUID="GPU-gpu-1-0",container="c",gpu="0",namespace="ml",pod="train-40",shared="false"} 30000
      pitcrew_gpu_holder_seconds{UUID="GPU-gpu-1-1",container="c",gpu="1",namespace="dev",pod="notebook-x",shared="false"} 30000
      """;

  private final PluginCluster cluster;
  private final ControlPlane plane;
  private final String namespace;
  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final HttpServer agents;

  @TempDir Path folder;

  TopCommandTest(ControlPlane plane, TestNamespace namespace) throws IOException {
    this.plane = plane;
    this.namespace = namespace.name();
    cluster = new PluginCluster(plane);
    agents = HttpServer.create(new InetSocketAddress(address(), 0), 0);
    agents.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    agents.createContext("/metrics", this::answer);
    agents.start();
  }

  @BeforeEach
  void define() {
    cluster.define(
        List.of("pitcrew.dev_gpunodes.yaml"), List.of("/apis/pitcrew.dev/v1alpha1/gpunodes"));
  }

  @AfterEach
  void stop() {
    end.countDown();
    agents.stop(0);
    // No kubelet would confirm that they have ended.
    plane.client().pods().inNamespace(namespace).withGracePeriod(0).delete();
  }

  @Test
  void gpusAreShownWithTheirPods_andNodesThatDoNotAnswerAsSuch() {
    node("gpu-1", PAGE);
    node("gpu-2", "waits");
    cluster.gpuNode("gpu-3", "True", "Ready", "", "");

    Run top = top("--request-timeout=2s");

    assertThat(top.code()).as(top.text()).isEqualTo(ExitCodes.PROBLEM);
    top.assertFits();
    assertThat(top.out())
        .containsPattern("gpu-1 +0 +▇▇▇▇▇▇▇▇ +98% .*ml/train")
        .containsPattern("gpu-1 +1 +0% .*dev/note")
        .containsPattern("gpu-2 +0 +- ")
        .containsPattern("gpu-3 +0 +- ");
    assertThat(top.text())
        .contains(
            "gpu-2: no answer within the time of --request-timeout", "gpu-3: no agent runs there");
    Run wide = top("-o", "wide", "gpu-1");
    wide.assertFits();
    assertThat(wide.code()).as(wide.text()).isEqualTo(ExitCodes.OK);
    Run pods = top("pods", "gpu-1");
    assertThat(pods.out()).containsPattern("ml +train-40 +gpu-1 +0 +98% +71.2 GiB");
    assertThat(top("nodes", "gpu-1").out()).containsPattern("gpu-1 +4 +▇▇ +25% ");
    assertThat(top("gpu-1", "-o", "yaml").out()).contains("pod: \"train-40\"");
    assertThat(top("pods", "node/gpu-1", "-o", "name").out())
        .isEqualTo("pod/train-40\npod/notebook-x\n");
    pages.put("agent-gpu-1", PAGE.replace("GPU-gpu-1-3", "GPU-other"));
    assertThat(top("gpu-1"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.PROBLEM))
        .satisfies(it -> assertThat(it.text()).contains("the agent has no metrics of the GPU"));
  }

  @Test
  void gpuThatAPodDoesNotUse_isListedWithThePodAndTheTime() {
    node("gpu-1", PAGE);

    Run idle = top("--idle");

    assertThat(idle.code()).isEqualTo(ExitCodes.PROBLEM);
    idle.assertFits();
    assertThat(idle.out())
        .containsPattern("gpu-1 +1 +0% +0.4 GiB +6h +dev/notebook-x")
        .doesNotContain("train-40");
    assertThat(top("--idle", "--for", "7h"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.err()).contains("No pod is known to have a GPU"));
    assertThat(top("--idle", "-o", "json").out())
        .contains("\"idleSeconds\": 21600", "\"atLeast\": false");
    // Its agent keeps no time of this limit, so that nothing may be claimed.
    assertThat(top("--idle", "--below", "25%").text())
        .contains("not measured: gpu-1 GPU 0, gpu-1 GPU 1");
  }

  /// The pages come from pods, whose text their authors choose.
  @Test
  void textOfPages_isPrintedSafely() {
    node(
        "gpu-1",
        PAGE.replace("train-40", "\u001b[31mred\u001b]0;title\u0007 \u202eb\u009b1m")
            + "pitcrew_metrics_problem{about=\"pods\",why=\"\u001b[31m"
            + "x".repeat(500)
            + "\"} 1\n");

    for (String view : List.of("gpus", "pods", "nodes")) {
      top(view).assertFits();
    }
    assertThat(top("--idle", "--for", "0s").text())
        .contains("\\u001b[31m")
        .doesNotContain("\u001b");
  }

  @Test
  void rightThatIsMissing_isNamedWithCommandsThatGrantIt() {
    node("gpu-1", PAGE);
    cluster.administer(
        "create",
        "clusterrole",
        "eve",
        "--verb=list",
        "--resource=gpunodes.pitcrew.dev,pods,nodes");
    cluster.administer("create", "clusterrolebinding", "eve", "--clusterrole=eve", "--user=eve");
    try {
      await()
          .atMost(PluginCluster.LIMIT)
          .untilAsserted(() -> assertThat(top("--as", "eve").text()).contains("pods/proxy"));
      Run refused = top("--as", "eve");
      assertThat(refused.code()).isEqualTo(ExitCodes.UNREACHABLE);
      assertThat(refused.text())
          .contains("eve may not get pods/proxy in namespace " + namespace + ": an administrator");

      String[] remedy =
          refused
              .text()
              .replaceFirst(".* allows it with kubectl ", "")
              .strip()
              .split(" and kubectl ", -1);
      for (String command : remedy) {
        cluster.administer(command.split(" ", -1));
      }

      await()
          .atMost(PluginCluster.LIMIT)
          .untilAsserted(() -> assertThat(top("--as", "eve", "pods").out()).contains("train-40"));
    } finally {
      cluster.administer("delete", "clusterrole,clusterrolebinding", "eve");
    }
  }

  @Test
  void selector_choosesNodes_andTheirNumberIsLimited() {
    node("gpu-1", PAGE);
    node("gpu-2", PAGE.replace("gpu-1", "gpu-2"));
    assertThat(top("pods", "-l", "pool=of-gpu-2").out()).contains("gpu-2").doesNotContain("gpu-1");
    Run cut = top("pods", "--max-nodes", "1");
    assertThat(cut.out()).contains("gpu-1").doesNotContain("gpu-2");
    assertThat(cut.err()).contains("1 of 2 nodes were asked");
    assertThat(top("-l", "pool==="))
        .satisfies(it -> assertThat(it.code()).as(it.text()).isEqualTo(ExitCodes.USAGE));
  }

  @Test
  void watch_showsItAgain() throws Exception {
    node("gpu-1", PAGE);
    var run = cluster.start(words("pods", "-w", "--interval", "1s"));
    try {
      await().atMost(PluginCluster.LIMIT).until(() -> run.printed().contains("98%"));
      pages.put("agent-gpu-1", PAGE.replace(" 98\n", " 17\n"));
      await().atMost(PluginCluster.LIMIT).until(() -> run.printed().contains("17%"));
    } finally {
      run.process().destroy();
    }
  }

  @Test
  void wrongInputIsNamed() {
    for (List<String> line :
        List.of(
            List.of("gpu-9"),
            List.of("gpu-1", "gpu-2"),
            List.of("gpus", "../nodes"),
            List.of("gpu-1", "-l", "a=b"),
            List.of("--below", "5%"),
            List.of("--idle", "--below", "7%"),
            List.of("--idle", "--for", "soon"),
            List.of("pods", "--idle"),
            List.of("-w", "-o", "json"),
            List.of("--port", "0"),
            List.of("--max-nodes", "0"))) {
      Run run = cluster.run(words(line.toArray(String[]::new)));
      assertThat(run.code()).as(line.toString()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).startsWith("error: ").doesNotContain("Exception");
    }
  }

  private Run top(String... words) {
    return cluster.run(words(words));
  }

  private String[] words(String... words) {
    var line = new ArrayList<>(List.of("top"));
    if (!List.of(words).contains("--port")) {
      line.add("--port=" + agents.getAddress().getPort());
    }
    line.addAll(List.of(words));
    return line.toArray(String[]::new);
  }

  private void node(String name, String page) {
    cluster.gpuNode(name, "True", "Ready", "", "");
    // Pods of a node that is not there are deleted.
    plane.client().resource(kubeNode(name)).create();
    agent(name, page);
  }

  private void agent(String node, String page) {
    pages.put("agent-" + node, page);
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: agent-%s, namespace: %s, labels: {app: pitcrew-agent}}
            spec:
              nodeName: %s
              containers: [{name: pitcrew-agent, image: none}]
            status:
              phase: Running
              podIP: %s
              podIPs: [{ip: %4$s}]
              conditions: [{type: Ready, status: 'True'}]
            """
                .formatted(
                    node, namespace, node, agents.getAddress().getAddress().getHostAddress()),
            Pod.class));
  }

  private static GenericKubernetesResource kubeNode(String name) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Node
        metadata: {name: %s, labels: {pool: of-%s}}
        """
            .formatted(name, name),
        GenericKubernetesResource.class);
  }

  /// The API server says for which pod it asks.
  private void answer(HttpExchange request) throws IOException {
    String asked = String.valueOf(request.getRequestHeaders().getFirst("X-Forwarded-Uri"));
    String pod = asked.replaceFirst(".*/pods/([^:/]+).*", "$1");
    String page = pages.getOrDefault(pod, "");
    if (page.equals("waits")) {
      try {
        end.await();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
    byte[] bytes = page.getBytes(UTF_8);
    request.sendResponseHeaders(200, 0);
    try (var body = request.getResponseBody()) {
      body.write(bytes);
    }
  }

  /// An API server asks no pod at a loopback address.
  private static InetAddress address() throws SocketException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(it -> it instanceof Inet4Address && !it.isLoopbackAddress())
        .filter(it -> !it.isLinkLocalAddress())
        .findFirst()
        .orElseThrow();
  }
}
