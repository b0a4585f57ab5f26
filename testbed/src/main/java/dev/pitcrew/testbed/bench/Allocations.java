package dev.pitcrew.testbed.bench;

import dev.pitcrew.kubelet.deviceplugin.AllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc.DevicePluginBlockingStub;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/// Asks the plugin for one GPU after the other, as the kubelet does, over one connection.
///
/// @param first the first calls of a fresh client
/// @param later as many after those, when the client itself has warmed up
record Allocations(Latencies first, Latencies later) {
  static Allocations of(Path socket, List<String> uuids, int calls) {
    try (var connection = PluginChannel.to(socket)) {
      var plugin = DevicePluginGrpc.newBlockingStub(connection.channel());
      var first = allocate(plugin, uuids, calls);
      return new Allocations(first, allocate(plugin, uuids, calls));
    }
  }

  static List<String> uuids(List<SimulatedGpu> gpus) {
    return gpus.stream().map(SimulatedGpu::uuid).toList();
  }

  private static Latencies allocate(
      DevicePluginBlockingStub plugin, List<String> uuids, int calls) {
    return new Latencies(
        IntStream.range(0, calls)
            .mapToObj(call -> time(plugin, uuids.get(call % uuids.size())))
            .toList());
  }

  private static Duration time(DevicePluginBlockingStub plugin, String uuid) {
    var container = ContainerAllocateRequest.newBuilder().addDevicesIds(uuid);
    var request = AllocateRequest.newBuilder().addContainerRequests(container).build();
    var begin = System.nanoTime();
    plugin.allocate(request);
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
