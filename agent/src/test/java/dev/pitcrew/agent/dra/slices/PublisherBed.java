package dev.pitcrew.agent.dra.slices;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A node without GPUs on a real control plane, and publishers of slices for it.
final class PublisherBed implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String VERSION = "resource.k8s.io/v1";
  private static final String RESOURCE = "resourceslices";

  private final ControlPlane plane;
  private final TestAccount account;
  private final ApiServer server;
  private final String node;
  private final String nodeUid;
  private final List<NodeSlices> watches = new ArrayList<>();
  private Instant now = Instant.parse("2026-11-28T12:00:00Z");

  /// One life of an agent.
  record Publisher(
      SliceController controller, NodeSlices slices, List<SliceController.Published> published) {}

  PublisherBed(ControlPlane plane, String namespace, Path folder) {
    this.plane = plane;
    account = TestAccount.ofSlicePublisher(plane, namespace, folder);
    server = ApiServer.of(account.atServer());
    node = "node-" + namespace;
    nodeUid =
        plane
            .client()
            .resource(new NodeBuilder().withNewMetadata().withName(node).endMetadata().build())
            .create()
            .getMetadata()
            .getUid();
  }

  String node() {
    return node;
  }

  String nodeUid() {
    return nodeUid;
  }

  void later(Duration time) {
    now = now.plus(time);
  }

  Publisher publisher() {
    return publisher(() -> {});
  }

  /// As a fresh agent, which has seen the slices that there are.
  Publisher publisher(Runnable onChange) {
    NodeSlices slices = NodeSlices.follow(server, node, ClaimDevice.DRIVER, onChange);
    watches.add(slices);
    await().atMost(LIMIT).until(() -> slices.now() instanceof NodeSlices.View.Listed);
    var published = new ArrayList<SliceController.Published>();
    return new Publisher(
        new SliceController(server, () -> slices, () -> now, published::add), slices, published);
  }

  SliceController.Input input(List<SliceDevice> devices) {
    return new SliceController.Input(node, nodeUid, new SliceDevices(devices, List.of()));
  }

  /// The slices of the node, by name.
  List<JsonNode> live() {
    String path =
        "/apis/%s/%s?fieldSelector=spec.nodeName%%3D%s".formatted(VERSION, RESOURCE, node);
    return ApiJson.read(plane.client().raw(path), JsonNode.class)
        .path("items")
        .valueStream()
        .toList();
  }

  /// Waits until a publisher sees the slices as they are.
  void awaitSeen(Publisher publisher) {
    await()
        .atMost(LIMIT)
        .until(() ->
            publisher.slices().now() instanceof NodeSlices.View.Listed(var seen)
                && versions(seen).equals(versions(live())));
  }

  private static List<String> versions(List<JsonNode> slices) {
    return slices.stream().map(slice -> slice.at("/metadata/resourceVersion").asText()).toList();
  }

  /// Another client applies a merge patch, with single quotes.
  void edit(String slice, String patch) {
    var http = plane.client().getHttpClient();
    var request =
        http.newHttpRequestBuilder()
            .uri(plane.client().getMasterUrl() + "apis/" + VERSION + "/" + RESOURCE + "/" + slice)
            .method("PATCH", "application/merge-patch+json", patch.replace('\'', '"'))
            .build();
    var response = http.sendAsync(request, String.class).join();
    if (!response.isSuccessful()) {
      throw new AssertionError(response.code() + ": " + response.body());
    }
  }

  void delete(String slice) {
    plane.client().genericKubernetesResources(VERSION, "ResourceSlice").withName(slice).delete();
  }

  /// The calls so far that change slices, such as `create` or `update 409`. The audit log has a
  /// call when a later one is in it.
  List<String> writes() {
    long reads = reads();
    if (!(server.get(ObjectPath.of("v1", "nodes", node), LIMIT) instanceof Reply.Done)) {
      throw new AssertionError("the node cannot be read");
    }
    await().atMost(LIMIT).until(() -> reads() > reads);
    return requests().stream()
        .filter(AuditLog.Request::isMutating)
        .map(request ->
            request.status() < 300 ? request.verb() : request.verb() + " " + request.status())
        .collect(Collectors.toList());
  }

  private long reads() {
    return requests().stream().filter(request -> request.verb().equals("get")).count();
  }

  private List<AuditLog.Request> requests() {
    return plane.auditLog().requestsOf(account.user());
  }

  @Override
  public void close() {
    watches.forEach(NodeSlices::close);
    server.close();
    live().forEach(slice -> delete(slice.at("/metadata/name").asText()));
  }
}
