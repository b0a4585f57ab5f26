package dev.pitcrew.agent.plugin;

import dev.pitcrew.kubelet.deviceplugin.AllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.AllocateResponse;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginBlockingStub;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginOptions;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.kubelet.deviceplugin.PreStartContainerRequest;
import dev.pitcrew.kubelet.deviceplugin.PreStartContainerResponse;
import dev.pitcrew.kubelet.deviceplugin.PreferredAllocationRequest;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// What a kubelet asks a plugin.
public final class PluginClient implements AutoCloseable {
  private final ManagedChannel channel;

  PluginClient(ManagedChannel channel) {
    this.channel = channel;
  }

  DevicePluginOptions options() {
    return blocking().getDevicePluginOptions(Empty.getDefaultInstance());
  }

  PreStartContainerResponse preStart() {
    return blocking().preStartContainer(PreStartContainerRequest.getDefaultInstance());
  }

  public AllocateResponse allocate(List<List<String>> containers) {
    var request = AllocateRequest.newBuilder();
    containers.forEach(ids ->
        request.addContainerRequests(ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids)));
    return blocking().allocate(request.build());
  }

  List<String> preferred(List<String> available, List<String> required, int size) {
    return blocking()
        .getPreferredAllocation(
            PreferredAllocationRequest.newBuilder()
                .addContainerRequests(
                    ContainerPreferredAllocationRequest.newBuilder()
                        .addAllAvailableDeviceIDs(available)
                        .addAllMustIncludeDeviceIDs(required)
                        .setAllocationSize(size))
                .build())
        .getContainerResponses(0)
        .getDeviceIDsList();
  }

  public Watch watch() {
    Watch watch = new Watch();
    DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), watch);
    return watch;
  }

  private DevicePluginBlockingStub blocking() {
    return DevicePluginGrpc.newBlockingStub(channel).withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  /// One `ListAndWatch` stream.
  public static final class Watch implements StreamObserver<ListAndWatchResponse> {
    private final BlockingQueue<ListAndWatchResponse> lists = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);

    public ListAndWatchResponse next() throws InterruptedException {
      ListAndWatchResponse list = lists.poll(10, TimeUnit.SECONDS);
      if (list == null) {
        throw new AssertionError("no list has come");
      }
      return list;
    }

    boolean hasMore() {
      return !lists.isEmpty();
    }

    /// The next list, if one has come.
    public Optional<ListAndWatchResponse> poll() {
      return Optional.ofNullable(lists.poll());
    }

    boolean hasEnded() throws InterruptedException {
      return end.await(10, TimeUnit.SECONDS);
    }

    @Override
    public void onNext(ListAndWatchResponse list) {
      lists.add(list);
    }

    @Override
    public void onError(Throwable cause) {
      end.countDown();
    }

    @Override
    public void onCompleted() {
      end.countDown();
    }
  }
}
