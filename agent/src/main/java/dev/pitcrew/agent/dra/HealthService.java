package dev.pitcrew.agent.dra;

import dev.pitcrew.kubelet.health.HealthCheckRequest;
import dev.pitcrew.kubelet.health.HealthCheckResponse;
import dev.pitcrew.kubelet.health.HealthCheckResponse.ServingStatus;
import dev.pitcrew.kubelet.health.HealthGrpc.HealthImplBase;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.function.BooleanSupplier;

/// Answers whether the DRA driver serves claims (gRPC health checking protocol, version 1), under
/// the names of the services of NVIDIA's DRA driver. That one serves as soon as its own sockets
/// answer; this one also needs the kubelet to have registered it and its ResourceSlices to be
/// published, without which no claim comes.
final class HealthService extends HealthImplBase {
  /// The ports of NVIDIA's DRA drivers.
  static final int GPU_PORT = 51516;

  static final int DOMAIN_PORT = 51515;

  private static final Set<String> SERVICES = Set.of("", "liveness");

  private final int port;
  private final BooleanSupplier isServing;

  /// @param port on which it is to be served
  HealthService(int port, BooleanSupplier isServing) {
    this.port = port;
    this.isServing = isServing;
  }

  int port() {
    return port;
  }

  @Override
  public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> to) {
    if (!SERVICES.contains(request.getService())) {
      to.onError(Status.NOT_FOUND.withDescription("unknown service").asException());
      return;
    }
    to.onNext(
        HealthCheckResponse.newBuilder()
            .setStatus(isServing.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING)
            .build());
    to.onCompleted();
  }
}
