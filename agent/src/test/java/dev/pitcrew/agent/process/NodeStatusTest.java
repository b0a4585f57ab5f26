package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The metrics of an agent between a real API server and simulated GPUs, and its CUDA check.
@WithControlPlane
class NodeStatusTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1",
       "functions": ["labels", "devicePlugin", "validation", "nodeStatus"],
       "clusterPolicy": {
         "devicePlugin": {"enabled": true}, "gfd": {"enabled": true},
         "validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "%s"}]}},
         "nodeStatusExporter": {"enabled": %s}}}
      """;

  private KubernetesClient client;
  private final HttpClient http = HttpClient.newHttpClient();
  private RunningAgent agent;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    client = plane.client();
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT.formatted("false", "true"));
    agent.label("nvidia.com/gpu.deploy.node-status-exporter", "true");
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    http.close();
    agent.close();
  }

  /// Where the agent validates too, it takes away the file of a part that it does not find.
  @Test
  void valuesFollowEvents() throws Exception {
    agent.provideDocument(DOCUMENT.formatted("false", "true").replace("\"validation\", ", ""));
    agent.start();
    awaitMetric("gpu_operator_node_driver_validation", "1");
    awaitMetric("gpu_operator_nvidia_pci_devices_total", String.valueOf(pciFunctions()));
    awaitMetric("gpu_operator_node_device_plugin_devices_total", "0");
    awaitText("pitcrew_node_condition{node=\"node-a\",condition=\"DriverReady\",status=\"True\"");

    capacity("nvidia.com/gpu", "3");
    awaitMetric("gpu_operator_node_device_plugin_devices_total", "3");
    assertThat(value("gpu_operator_node_device_plugin_validation_last_success_ts_seconds"))
        .isNotEqualTo("0");

    Path validations = agent.validations();
    Files.createFile(validations.resolve("toolkit-ready"));
    awaitMetric("gpu_operator_node_toolkit_ready", "1");
    Files.delete(validations.resolve("toolkit-ready"));
    awaitMetric("gpu_operator_node_toolkit_ready", "0");

    agent.gpus().unloadDriver();
    awaitMetric("gpu_operator_node_driver_validation", "0");
    assertThat(value("gpu_operator_node_driver_validation_last_success_ts_seconds"))
        .isNotEqualTo("0");
  }

  @Test
  void thePortIsHeldOnlyWhileTheFunctionIsOn() throws Exception {
    agent.start();
    awaitMetric("gpu_operator_node_driver_validation", "1");

    agent.provideDocument(DOCUMENT.formatted("false", "false"));
    await().atMost(LIMIT).until(() -> page().isEmpty());

    agent.provideDocument(DOCUMENT.formatted("false", "true"));
    awaitMetric("gpu_operator_node_driver_validation", "1");
  }

  @Test
  void portInUse_stopsNoOtherController() throws Exception {
    try (var other = new ServerSocket(agent.metricsPort(), 1, InetAddress.getLoopbackAddress())) {
      agent.start();
      await().atMost(LIMIT).until(() -> agent.labels().containsKey("nvidia.com/gpu.count"));
      assertThat(other.isBound()).isTrue();
    }
  }

  @Test
  void onlyReadingIsServed_andSlowClient_delaysNoOther() throws Exception {
    agent.start();
    awaitMetric("gpu_operator_node_driver_validation", "1");
    try (var slow = new Socket(InetAddress.getLoopbackAddress(), agent.metricsPort())) {
      slow.getOutputStream().write("GET /metrics HTT".getBytes(StandardCharsets.US_ASCII));

      assertThat(page()).isPresent();
      assertThat(
              send(request().POST(HttpRequest.BodyPublishers.ofString("x")).build()).statusCode())
          .isEqualTo(405);
      assertThat(send(request().build()).headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
    }
  }

  @Test
  void eachGpuProvesThatItComputes() throws Exception {
    agent.provideDocument(DOCUMENT.formatted("true", "true"));
    agent.start();
    awaitVerdict(verdict -> verdict.isProved() && verdict.gpus().size() == 4);

    agent.gpus().unloadDriver();
    await().atMost(LIMIT).until(() -> agent.state().cuda().isEmpty());
    Files.writeString(Path.of(agent.gpus().state() + ".cuda-fault"), "wrong-sum");
    agent.gpus().loadDriver();
    awaitVerdict(verdict -> verdict.message().contains("it computes wrongly"));
  }

  @Test
  void gpusProveThatTheyComputeOnceTheFabricIsSetUp() throws Exception {
    everyGpu("fabric_state", "2");
    agent.provideDocument(DOCUMENT.formatted("true", "true"));
    agent.start();
    await()
        .atMost(LIMIT)
        .until(() -> agent.condition("DriverReady").equals("False FabricNotReady"));
    assertThat(agent.condition("Ready")).isEqualTo("False FabricNotReady");
    assertThat(agent.state().cuda()).isEmpty();

    everyGpu("fabric_state", "3");

    awaitVerdict(CudaVerdict::isProved);
    await().atMost(LIMIT).until(() -> agent.condition("DriverReady").equals("True DriverLoaded"));
  }

  private void everyGpu(String reading, String value) {
    for (int gpu = 0; gpu < agent.gpus().gpus().size(); gpu++) {
      agent.gpus().set(gpu, reading, value);
    }
  }

  private void awaitVerdict(Predicate<CudaVerdict> claim) {
    await()
        .atMost(LIMIT.multipliedBy(4))
        .until(() -> agent.state().cuda().filter(claim).isPresent());
  }

  private long pciFunctions() {
    try (var files = Files.list(agent.gpus().hostRoot().resolve("sys/bus/pci/devices"))) {
      return files.filter(NodeStatusTest::isNvidia).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isNvidia(Path function) {
    try {
      return Files.readString(function.resolve("vendor")).strip().equals("0x10de");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void capacity(String resource, String count) {
    client
        .nodes()
        .withName(RunningAgent.NODE)
        .editStatus(node ->
            new NodeBuilder(node)
                .editOrNewStatus()
                .addToCapacity(resource, new Quantity(count))
                .endStatus()
                .build());
  }

  private void awaitMetric(String name, String value) {
    await().atMost(LIMIT).until(() -> value(name), value::equals);
  }

  private void awaitText(String text) {
    await().atMost(LIMIT).until(() -> page().filter(it -> it.contains(text)).isPresent());
  }

  private String value(String name) {
    return page().stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(name + "{node=\"node-a\"} "))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst()
        .orElse("");
  }

  private Optional<String> page() {
    try {
      return Optional.of(send(request().build()).body());
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofString());
  }

  private HttpRequest.Builder request() {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:%d/metrics".formatted(agent.metricsPort())));
  }
}
