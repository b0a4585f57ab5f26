package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.dra.DraController;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesRequest;
import dev.pitcrew.kubelet.dra.NodeUnprepareResourcesRequest;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A node with GPUs and its cluster, with what outlives its agent: the kubelet's list of devices,
/// the pods that hold one, claims, ResourceSlices and files.
final class MoveNode implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String NAME = "node-a";
  private static final String NO_ANSWER = "the driver has ended before it has answered";
  private static final Pattern DEVICE = Pattern.compile("gpu-([0-9]+)");
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["devicePlugin", "dra"],
       "dra": {"nodeSelector": {"gpu-claims": "true"}},
       "clusterPolicy": {"devicePlugin": {"enabled": true}}}
      """;

  private final MoveApi api;
  private final ApiServer server;
  private final SimulatedNode gpus;
  private final Inventory inventory;
  private final Path folder;
  private final TestKubelet kubelet;
  private final TestPodResources pods;
  private final DomainSockets sockets = new DomainSockets();
  private final AtomicLong nanos = new AtomicLong();
  private boolean isByClaims;
  private Optional<PluginClient> plugin = Optional.empty();
  private Optional<PluginClient.Watch> watch = Optional.empty();
  private SortedSet<Integer> offered = new TreeSet<>();

  MoveNode(Path folder, int count) throws IOException {
    this.folder = folder;
    api = new MoveApi(directory("account"));
    server = api.server();
    gpus = SimulatedNode.create(directory("gpus"), SimulatedNodeOptions.of("h100").withGpus(count));
    try (var open =
        Gpus.open(new GpuSettings(new HostRoot(gpus.hostRoot()), new HostRoot(gpus.driverRoot())))
            .toOptional()
            .orElseThrow()) {
      inventory = open.inventory().toOptional().orElseThrow();
    }
    kubelet = TestKubelet.start(directory("kubelet"));
    pods = TestPodResources.start(gpus.hostRoot());
  }

  private Path directory(String which) throws IOException {
    return Files.createDirectories(folder.resolve(which));
  }

  MovingAgent start(BiConsumer<String, String> steps) throws IOException, InterruptedException {
    var context =
        new AgentContext(
            new AgentContext.Identity(NAME, "agent-pod", "pitcrew", "pitcrew-agent"),
            Credentials.of(URI.create("https://127.0.0.1:1"), directory("account")),
            new HostRoot(gpus.hostRoot()),
            new AgentContext.Folders(
                directory("kubelet"),
                AgentContext.KubeletRoot.of(directory("kubelet")),
                directory("cdi"),
                directory("state"),
                directory("validations")),
            Optional.empty(),
            new BindAddress.Listen("127.0.0.1", 0),
            InstantSource.system());
    var agent = new MovingAgent(context, server, inventory, nanos::get, steps);
    agent.see(node(), settings());
    return agent;
  }

  /// As a node that claims have never served.
  void forgetSides() throws IOException {
    Files.deleteIfExists(directory("state").resolve(DraController.FILE));
  }

  /// Has claims serve the node from now on, or no longer.
  void serve(boolean byClaims) {
    isByClaims = byClaims;
  }

  boolean isByClaims() {
    return isByClaims;
  }

  JsonNode node() {
    ObjectNode object = MAPPER.createObjectNode();
    ObjectNode labels =
        object
            .putObject("metadata")
            .put("name", NAME)
            .put("uid", "0a1b2c3d-0000-4000-8000-00000000000a")
            .putObject("labels")
            .put("nvidia.com/gpu.deploy.device-plugin", "true");
    if (isByClaims) {
      labels.put("gpu-claims", "true");
    }
    object.putObject("status").putObject("allocatable").put("nvidia.com/gpu", "1");
    return object;
  }

  JsonNode settings() {
    ObjectNode object = MAPPER.createObjectNode();
    object.putObject("data").put("agent.json", DOCUMENT);
    return object;
  }

  /// Lets time pass for the agent.
  void pass(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  Gpu gpu(int minor) {
    return inventory.gpus().stream().filter(it -> it.minor() == minor).findFirst().orElseThrow();
  }

  /// The GPUs that the kubelet can give to pods, as the device plugin reports them.
  SortedSet<Integer> offered() throws InterruptedException {
    while (kubelet.hasMoreRegistrations()) {
      forgetOffer();
      PluginClient dialled = kubelet.dial(kubelet.nextRegistration().getEndpoint());
      plugin = Optional.of(dialled);
      watch = Optional.of(dialled.watch());
    }
    Optional<ListAndWatchResponse> list = watch.flatMap(PluginClient.Watch::poll);
    while (list.isPresent()) {
      offered = new TreeSet<>();
      for (Device device : list.get().getDevicesList()) {
        inventory.gpus().stream()
            .filter(gpu -> gpu.uuid().equals(device.getID()))
            .forEach(gpu -> offered.add(gpu.minor()));
      }
      list = watch.flatMap(PluginClient.Watch::poll);
    }
    return offered;
  }

  /// As the kubelet does once the stream of a plugin has ended.
  void forgetOffer() {
    plugin.ifPresent(PluginClient::close);
    plugin = Optional.empty();
    watch = Optional.empty();
    offered = new TreeSet<>();
  }

  /// The GPUs that the scheduler can allocate to claims.
  SortedSet<Integer> sliced() {
    var minors = new TreeSet<Integer>();
    api.devices().forEach(device -> minors.add(minor(device)));
    return minors;
  }

  private static int minor(String device) {
    var matcher = DEVICE.matcher(device);
    assertThat(matcher.matches()).as(device).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /// The kubelet asks the device plugin for a GPU, before it gives it to a pod.
  ///
  /// @return whether the plugin agrees
  boolean agrees(int minor) {
    try {
      plugin.ifPresent(it -> it.allocate(List.of(List.of(gpu(minor).uuid()))));
      return plugin.isPresent();
    } catch (StatusRuntimeException _) {
      return false;
    }
  }

  /// A pod gets a GPU of the device plugin.
  void pod(String pod, int minor) {
    var devices =
        ContainerDevices.newBuilder()
            .setResourceName("nvidia.com/gpu")
            .addDeviceIds(gpu(minor).uuid());
    pods.add(
        PodResources.newBuilder()
            .setNamespace("team")
            .setName(pod)
            .addContainers(ContainerResources.newBuilder().setName("main").addDevices(devices))
            .build());
  }

  void endPod(String pod) {
    pods.end(pod);
  }

  /// The scheduler allocates a GPU to a claim.
  ///
  /// @return its UID
  String allocate(String claim, int minor) {
    return api.allocate(
        claim,
        "{\"request\": \"gpu\", \"driver\": \"%s\", \"pool\": \"%s\", \"device\": \"gpu-%d\"}"
            .formatted(ClaimDevice.DRIVER, NAME, minor));
  }

  void deallocate(String claim) {
    api.deallocate(claim);
  }

  /// The UIDs of the claims on the API server.
  SortedSet<String> allocated() {
    return new TreeSet<>(api.claims());
  }

  /// @return why it is not prepared, or that no driver has answered
  Optional<String> prepare(String claim, String uid) {
    var request =
        NodePrepareResourcesRequest.newBuilder()
            .addClaims(Claim.newBuilder().setNamespace("team").setName(claim).setUid(uid));
    return call(stub -> {
      var answers = stub.nodePrepareResources(request.build()).getClaimsMap();
      return answers.containsKey(uid) ? answers.get(uid).getError() : NO_ANSWER;
    });
  }

  Optional<String> unprepare(String claim, String uid) {
    var request =
        NodeUnprepareResourcesRequest.newBuilder()
            .addClaims(Claim.newBuilder().setNamespace("team").setName(claim).setUid(uid));
    return call(stub -> {
      var answers = stub.nodeUnprepareResources(request.build()).getClaimsMap();
      return answers.containsKey(uid) ? answers.get(uid).getError() : NO_ANSWER;
    });
  }

  private interface Call {
    String make(DRAPluginGrpc.DRAPluginBlockingStub stub);
  }

  private Optional<String> call(Call call) {
    Path socket = folder.resolve("kubelet/plugins/" + ClaimDevice.DRIVER + "/dra.sock");
    ManagedChannel channel = sockets.channel(socket);
    try {
      var stub = DRAPluginGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
      return Optional.of(call.make(stub)).filter(error -> !error.isEmpty());
    } catch (StatusRuntimeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } finally {
      channel.shutdownNow();
    }
  }

  /// The checkpoint of claims, as NVIDIA's DRA driver would read it.
  JsonNode checkpoint() throws IOException {
    Path file = folder.resolve("kubelet/plugins/" + ClaimDevice.DRIVER + "/checkpoint.json");
    return parsed(Files.exists(file) ? Files.readString(file) : "{}")
        .path("v2")
        .path("preparedClaims");
  }

  /// The UIDs of the claims with a CDI file.
  SortedSet<String> specifications() throws IOException {
    var uids = new TreeSet<String>();
    try (Stream<Path> files = Files.list(directory("cdi"))) {
      files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.contains("-claim_"))
          .forEach(file ->
              uids.add(file.substring(file.indexOf('_') + 1, file.length() - ".yaml".length())));
    }
    return uids;
  }

  private static JsonNode parsed(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    forgetOffer();
    pods.close();
    kubelet.close();
    sockets.close();
    server.close();
    api.close();
  }
}
