package dev.pitcrew.agent.dra;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.dra.claims.ClaimPreparer;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Prepared;
import dev.pitcrew.agent.dra.claims.ClaimPreparer.Unprepared;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc.DRAPluginImplBase;
import dev.pitcrew.kubelet.dra.NodePrepareResourceResponse;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesRequest;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesResponse;
import dev.pitcrew.kubelet.dra.NodeUnprepareResourceResponse;
import dev.pitcrew.kubelet.dra.NodeUnprepareResourcesRequest;
import dev.pitcrew.kubelet.dra.NodeUnprepareResourcesResponse;
import dev.pitcrew.kubelet.dra.PreparedDevice;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// Answers the kubelet about claims. Each claim has an answer of its own: one that cannot be
/// prepared says why and fails no other of the call.
public final class ClaimService extends DRAPluginImplBase {
  private static final String API = "resource.k8s.io/v1";

  /// The kubelet gives a call 45 seconds, and its user reads the answer only before that.
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final ApiServer server;
  private final ClaimPreparer preparer;

  public ClaimService(ApiServer server, ClaimPreparer preparer) {
    this.server = server;
    this.preparer = preparer;
  }

  @Override
  public void nodePrepareResources(
      NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> to) {
    to.onNext(
        NodePrepareResourcesResponse.newBuilder()
            .putAllClaims(each(request.getClaimsList(), this::prepare))
            .build());
    to.onCompleted();
  }

  @Override
  public void nodeUnprepareResources(
      NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> to) {
    to.onNext(
        NodeUnprepareResourcesResponse.newBuilder()
            .putAllClaims(each(request.getClaimsList(), this::unprepare))
            .build());
    to.onCompleted();
  }

  private static <A> Map<String, A> each(Iterable<Claim> claims, Function<Claim, A> work) {
    var answers = new ConcurrentHashMap<String, A>();
    try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Claim claim : claims) {
        calls.execute(() -> answers.put(claim.getUid(), work.apply(claim)));
      }
    }
    return answers;
  }

  private NodePrepareResourceResponse prepare(Claim claim) {
    if (!ObjectPath.isName(claim.getName()) || !ObjectPath.isName(claim.getNamespace())) {
      return refused(claim, "its name or namespace is not valid");
    }
    var path = ObjectPath.of(API, "resourceclaims", claim.getNamespace(), claim.getName());
    return switch (server.get(path, DEADLINE)) {
      case Reply.Done(var object) -> prepare(claim, object);
      case Reply.Refused refused ->
          refused(claim, "the API server does not return it: " + refused.message());
      case Reply.Unanswered(var reason) ->
          refused(claim, "the API server does not answer: " + reason);
    };
  }

  private NodePrepareResourceResponse prepare(Claim claim, JsonNode object) {
    String uid = object.at("/metadata/uid").asText();
    if (!uid.equals(claim.getUid())) {
      return refused(
          claim, "it was replaced by another of its name, with the UID %s".formatted(uid));
    }
    return switch (preparer.prepare(object)) {
      case Prepared.Devices(var devices) ->
          NodePrepareResourceResponse.newBuilder()
              .addAllDevices(devices.stream().map(ClaimService::device).toList())
              .build();
      case Prepared.Refused(var reason) -> refused(claim, reason);
    };
  }

  private static PreparedDevice device(PreparedClaim.Device device) {
    var message =
        PreparedDevice.newBuilder()
            .addAllRequestNames(device.requests())
            .setPoolName(device.pool())
            .setDeviceName(device.name())
            .addAllCdiDeviceIds(device.cdiIds());
    device.shareId().ifPresent(message::setShareId);
    return message.build();
  }

  private static NodePrepareResourceResponse refused(Claim claim, String reason) {
    return NodePrepareResourceResponse.newBuilder().setError(words(claim, reason)).build();
  }

  private NodeUnprepareResourceResponse unprepare(Claim claim) {
    return switch (preparer.unprepare(claim.getUid())) {
      case Unprepared.Done() -> NodeUnprepareResourceResponse.getDefaultInstance();
      case Unprepared.Failed(var reason) ->
          NodeUnprepareResourceResponse.newBuilder().setError(words(claim, reason)).build();
    };
  }

  private static String words(Claim claim, String reason) {
    return "claim %s/%s (%s): %s"
        .formatted(claim.getNamespace(), claim.getName(), claim.getUid(), reason);
  }
}
