package dev.pitcrew.agent.dra;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.dra.DraMetrics.PrepareError;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
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
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// Answers the kubelet about claims. Each claim has an answer of its own: one that cannot be
/// prepared says why and fails no other of the call.
final class ClaimService extends DRAPluginImplBase {
  private static final String API = "resource.k8s.io/v1";

  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /// The kubelet gives a call 45 seconds, and its user reads the answer only before that.
  private static final Duration ANSWER = Duration.ofSeconds(40);

  private final ApiServer server;
  private final DraMetrics.OfDriver metrics;
  private volatile Optional<ClaimHandler> served = Optional.empty();

  ClaimService(ApiServer server, DraMetrics.OfDriver metrics) {
    this.server = server;
    this.metrics = metrics;
  }

  /// From now on claims are prepared by this one. What is prepared stays so.
  void serve(ClaimHandler handler) {
    served = Optional.of(handler);
  }

  /// Refuses claims from now on.
  ///
  /// @return whether no call is under way any longer
  boolean stop() {
    served = Optional.empty();
    return metrics.isIdle();
  }

  @Override
  public void nodePrepareResources(
      NodePrepareResourcesRequest request, StreamObserver<NodePrepareResourcesResponse> to) {
    long until = System.nanoTime() + ANSWER.toNanos();
    metrics.call(
        DraMetrics.Operation.PREPARE,
        () -> {
          to.onNext(
              NodePrepareResourcesResponse.newBuilder()
                  .putAllClaims(each(request.getClaimsList(), claim -> prepare(claim, until)))
                  .build());
          to.onCompleted();
        });
  }

  @Override
  public void nodeUnprepareResources(
      NodeUnprepareResourcesRequest request, StreamObserver<NodeUnprepareResourcesResponse> to) {
    metrics.call(
        DraMetrics.Operation.UNPREPARE,
        () -> {
          to.onNext(
              NodeUnprepareResourcesResponse.newBuilder()
                  .putAllClaims(each(request.getClaimsList(), this::unprepare))
                  .build());
          to.onCompleted();
        });
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

  private NodePrepareResourceResponse prepare(Claim claim, long until) {
    if (!ObjectPath.isName(claim.getName()) || !ObjectPath.isName(claim.getNamespace())) {
      return refused(PrepareError.CLAIM_UNREADABLE, claim, "its name or namespace is not valid");
    }
    var path = ObjectPath.of(API, "resourceclaims", claim.getNamespace(), claim.getName());
    return switch (server.get(path, DEADLINE)) {
      case Reply.Done(var object) -> prepare(claim, object, until);
      case Reply.Refused refused ->
          refused(
              PrepareError.CLAIM_UNREADABLE,
              claim,
              "the API server does not return it: " + refused.message());
      case Reply.Unanswered(var reason) ->
          refused(
              PrepareError.CLAIM_UNREADABLE, claim, "the API server does not answer: " + reason);
    };
  }

  private NodePrepareResourceResponse prepare(Claim claim, JsonNode object, long until) {
    String uid = object.at("/metadata/uid").asText();
    if (!uid.equals(claim.getUid())) {
      return refused(
          PrepareError.CLAIM_UNREADABLE,
          claim,
          "it was replaced by another of its name, with the UID %s".formatted(uid));
    }
    return switch (ClaimObject.of(object)) {
      case ClaimObject.Reading.Invalid(var reason) ->
          refused(PrepareError.CLAIM_UNREADABLE, claim, reason);
      case ClaimObject.Reading.Valid(var valid) ->
          served
              .map(now -> answer(now.prepare(valid, left(until))))
              .orElseGet(() ->
                  refused(PrepareError.NODE_NOT_READY, claim, "the node was not looked at yet"));
    };
  }

  private static Duration left(long until) {
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }

  private NodePrepareResourceResponse answer(PrepareOutcome outcome) {
    return switch (outcome) {
      case PrepareOutcome.Prepared(var prepared) ->
          NodePrepareResourceResponse.newBuilder()
              .addAllDevices(prepared.stream().map(ClaimService::device).toList())
              .build();
      case PrepareOutcome.NotReady(var reason) -> failed(PrepareError.NODE_NOT_READY, reason);
      case PrepareOutcome.Refused(var reason) -> failed(PrepareError.REFUSED, reason);
      case PrepareOutcome.Failed(var reason) -> failed(PrepareError.FAILED, reason);
    };
  }

  private static PreparedDevice device(dev.pitcrew.agent.dra.claims.plan.PreparedDevice device) {
    var message =
        PreparedDevice.newBuilder()
            .addAllRequestNames(device.requests())
            .setPoolName(device.pool())
            .setDeviceName(device.device())
            .addAllCdiDeviceIds(device.cdiIds());
    device.shareId().ifPresent(message::setShareId);
    return message.build();
  }

  private NodePrepareResourceResponse refused(PrepareError why, Claim claim, String reason) {
    return failed(why, words(claim, reason));
  }

  /// @param error names the claim
  private NodePrepareResourceResponse failed(PrepareError why, String error) {
    metrics.failed(why);
    return NodePrepareResourceResponse.newBuilder().setError(error).build();
  }

  private NodeUnprepareResourceResponse unprepare(Claim claim) {
    UnprepareOutcome outcome =
        served
            .map(now -> now.unprepare(claim.getUid()))
            .orElseGet(() -> new UnprepareOutcome.Failed("the node was not looked at yet"));
    return switch (outcome) {
      case UnprepareOutcome.Unprepared() -> NodeUnprepareResourceResponse.getDefaultInstance();
      case UnprepareOutcome.Failed(var reason) -> {
        metrics.unprepareFailed();
        yield NodeUnprepareResourceResponse.newBuilder().setError(words(claim, reason)).build();
      }
    };
  }

  private static String words(Claim claim, String reason) {
    return "claim %s/%s (%s): %s"
        .formatted(claim.getNamespace(), claim.getName(), claim.getUid(), reason);
  }
}
