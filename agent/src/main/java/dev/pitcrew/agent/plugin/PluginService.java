package dev.pitcrew.agent.plugin;

import dev.pitcrew.device.allocation.Preference;
import dev.pitcrew.kubelet.deviceplugin.AllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.AllocateResponse;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerPreferredAllocationResponse;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginImplBase;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginOptions;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.kubelet.deviceplugin.PreStartContainerRequest;
import dev.pitcrew.kubelet.deviceplugin.PreStartContainerResponse;
import dev.pitcrew.kubelet.deviceplugin.PreferredAllocationRequest;
import dev.pitcrew.kubelet.deviceplugin.PreferredAllocationResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.UUID;
import java.util.function.Supplier;

/// Answers the kubelet about one resource from the offer in force.
final class PluginService extends DevicePluginImplBase {
  private final Supplier<Offer> offer;
  private final DeviceStreams streams;
  private final Runnable onLoss;

  /// @param onLoss called when no client listens to the list any more
  PluginService(Supplier<Offer> offer, DeviceStreams streams, Runnable onLoss) {
    this.offer = offer;
    this.streams = streams;
    this.onLoss = onLoss;
  }

  /// An answer that the kubelet gets as an error with this text.
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
      super(reason);
    }
  }

  private interface Answer<T> {
    T get() throws Refusal;
  }

  @Override
  public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> to) {
    answer(to, () -> Messages.OPTIONS);
  }

  @Override
  public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> to) {
    streams.open((ServerCallStreamObserver<ListAndWatchResponse>) to, onLoss);
  }

  @Override
  public void preStartContainer(
      PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> to) {
    answer(to, PreStartContainerResponse::getDefaultInstance);
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> to) {
    answer(to, () -> allocated(request));
  }

  @Override
  public void getPreferredAllocation(
      PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> to) {
    answer(to, () -> preferred(request));
  }

  private AllocateResponse allocated(AllocateRequest request) throws Refusal {
    Offer current = offer.get();
    var response = AllocateResponse.newBuilder();
    for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
      switch (Allocation.of(current, container.getDevicesIdsList(), PluginService::newName)) {
        case Allocation.Granted(var granted) ->
            response.addContainerResponses(Messages.container(granted));
        case Allocation.Refused(var reason) -> throw new Refusal(reason);
      }
    }
    return response.build();
  }

  private PreferredAllocationResponse preferred(PreferredAllocationRequest request) throws Refusal {
    Offer current = offer.get();
    var response = PreferredAllocationResponse.newBuilder();
    for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
      switch (preference(current, container)) {
        case Preference.Chosen(var ids) ->
            response.addContainerResponses(
                ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(ids));
        case Preference.Refused(var reason) ->
            throw new Refusal("error getting list of preferred allocation devices: " + reason);
      }
    }
    return response.build();
  }

  private static Preference preference(Offer offer, ContainerPreferredAllocationRequest container) {
    return Preference.of(
        offer.resource(),
        offer.topology(),
        offer.settings().sharedPolicy(),
        new Preference.Request(
            container.getAvailableDeviceIDsList(),
            container.getMustIncludeDeviceIDsList(),
            container.getAllocationSize()));
  }

  private static String newName() {
    return UUID.randomUUID().toString();
  }

  private static <T> void answer(StreamObserver<T> to, Answer<T> answer) {
    try {
      to.onNext(answer.get());
      to.onCompleted();
    } catch (Refusal refusal) {
      to.onError(Status.UNKNOWN.withDescription(refusal.getMessage()).asException());
    }
  }
}
