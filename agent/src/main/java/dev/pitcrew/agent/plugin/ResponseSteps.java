package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.plugin.PluginSettings.DeviceSpecs;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The steps in which a response is made (device plugin, Allocate response construction order).
///
/// @param exposed by what the container knows its devices
record ResponseSteps(
    String resource, PluginSettings settings, List<Device> devices, List<String> exposed) {
  private static final String CDI_VENDOR = "k8s.device-plugin.nvidia.com";
  private static final String ANNOTATION = "nvidia-device-plugin_";
  private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
  private static final String IMEX_CHANNELS = "NVIDIA_IMEX_CHANNELS";
  private static final String MPS_ROOT = "/mps";
  private static final String MOUNT_ROOT = "/var/run/nvidia-container-devices";

  ContainerResponse response(Supplier<String> names) {
    var response = new ContainerResponse.Builder();
    if (settings.usesCdi()) {
      cdi(response, names);
    }
    settings.mpsRoot().ifPresent(root -> mps(response, root));
    settings.injections().forEach(it -> response.variable(it.variable(), "enabled"));
    if (settings.usesOnlyCdi()) {
      return response.build();
    }
    if (settings.isOn(DeviceListStrategy.ENVVAR)) {
      variables(response);
    }
    if (settings.isOn(DeviceListStrategy.VOLUME_MOUNTS)) {
      mounts(response);
    }
    settings.deviceSpecs().ifPresent(specs -> deviceFiles(response, specs));
    return response.build();
  }

  private void cdi(ContainerResponse.Builder response, Supplier<String> names) {
    List<String> qualified = cdiNames();
    if (qualified.isEmpty()) {
      return;
    }
    if (settings.isOn(DeviceListStrategy.CDI_ANNOTATIONS)) {
      response.annotation(
          settings.cdiAnnotationPrefix() + ANNOTATION + names.get(), String.join(",", qualified));
    }
    if (settings.isOn(DeviceListStrategy.CDI_CRI)) {
      response.cdiDevices(qualified);
    }
  }

  /// Every container with a GPU gets these, whether its resource is shared or not: a GPU that MPS
  /// has for itself accepts no other process.
  private void mps(ContainerResponse.Builder response, String rootOnHost) {
    String pipe = "/" + resource + "/pipe";
    response.variable("CUDA_MPS_PIPE_DIRECTORY", MPS_ROOT + pipe);
    response.mount(rootOnHost + pipe, MPS_ROOT + pipe);
    response.mount(rootOnHost + "/shm", "/dev/shm");
  }

  private List<String> cdiNames() {
    return Stream.of(
            exposed.stream().map(id -> cdiName("gpu", id)),
            settings.imexChannels().stream().map(number -> cdiName("imex-channel", "" + number)),
            Arrays.stream(Injection.values())
                .filter(settings.injections()::contains)
                .filter(settings.injectionsWithCdi()::contains)
                .map(injection -> cdiName(injection.cdiClass(), "all")))
        .flatMap(names -> names)
        .toList();
  }

  private static String cdiName(String cdiClass, String device) {
    return CDI_VENDOR + "/" + cdiClass + "=" + device;
  }

  private void variables(ContainerResponse.Builder response) {
    response.variable(VISIBLE_DEVICES, String.join(",", exposed));
    if (!settings.imexChannels().isEmpty()) {
      response.variable(
          IMEX_CHANNELS,
          settings.imexChannels().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
  }

  private void mounts(ContainerResponse.Builder response) {
    response.variable(VISIBLE_DEVICES, MOUNT_ROOT);
    exposed.forEach(id -> response.mount("/dev/null", MOUNT_ROOT + "/" + id));
    settings
        .imexChannels()
        .forEach(number -> response.mount("/dev/null", MOUNT_ROOT + "/imex/" + number));
  }

  private void deviceFiles(ContainerResponse.Builder response, DeviceSpecs specs) {
    Stream.of(
            specs.controlPaths().stream(),
            devices.stream().flatMap(device -> device.physical().paths().stream()),
            settings.imexChannels().stream().map(DeviceNodes::imexChannel))
        .flatMap(paths -> paths)
        .forEach(path -> response.deviceFile(below(specs.devRoot(), path), path));
  }

  private static String below(String root, String path) {
    return root.endsWith("/") ? root.substring(0, root.length() - 1) + path : root + path;
  }
}
