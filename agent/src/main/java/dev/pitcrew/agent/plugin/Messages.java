package dev.pitcrew.agent.plugin;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.kubelet.deviceplugin.CDIDevice;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginOptions;
import dev.pitcrew.kubelet.deviceplugin.DeviceSpec;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.kubelet.deviceplugin.Mount;
import dev.pitcrew.kubelet.deviceplugin.NUMANode;
import dev.pitcrew.kubelet.deviceplugin.TopologyInfo;
import java.util.OptionalInt;

/// Our records as the kubelet's messages.
final class Messages {
  static final String VERSION = "v1beta1";
  static final DevicePluginOptions OPTIONS =
      DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build();
  static final ListAndWatchResponse NO_DEVICES = ListAndWatchResponse.getDefaultInstance();

  private Messages() {}

  static ListAndWatchResponse list(Resource resource) {
    var list = ListAndWatchResponse.newBuilder();
    resource.devices().forEach(device -> list.addDevices(device(device)));
    return list.build();
  }

  private static dev.pitcrew.kubelet.deviceplugin.Device device(Device device) {
    var message =
        dev.pitcrew.kubelet.deviceplugin.Device.newBuilder()
            .setID(device.id())
            .setHealth(device.isHealthy() ? "Healthy" : "Unhealthy");
    OptionalInt numaNode = device.physical().numaNode();
    if (numaNode.isPresent()) {
      message.setTopology(
          TopologyInfo.newBuilder().addNodes(NUMANode.newBuilder().setID(numaNode.getAsInt())));
    }
    return message.build();
  }

  static ContainerAllocateResponse container(ContainerResponse response) {
    var message =
        ContainerAllocateResponse.newBuilder()
            .putAllEnvs(response.environment())
            .putAllAnnotations(response.annotations());
    response.mounts().forEach(mount -> message.addMounts(mount(mount)));
    response.deviceFiles().forEach(file -> message.addDevices(deviceSpec(file)));
    response.cdiDevices().forEach(name -> message.addCdiDevices(cdiDevice(name)));
    return message.build();
  }

  private static Mount mount(ContainerResponse.Mount mount) {
    return Mount.newBuilder()
        .setHostPath(mount.hostPath())
        .setContainerPath(mount.containerPath())
        .build();
  }

  private static DeviceSpec deviceSpec(ContainerResponse.DeviceFile file) {
    return DeviceSpec.newBuilder()
        .setHostPath(file.hostPath())
        .setContainerPath(file.containerPath())
        .setPermissions("rw")
        .build();
  }

  private static CDIDevice cdiDevice(String name) {
    return CDIDevice.newBuilder().setName(name).build();
  }
}
