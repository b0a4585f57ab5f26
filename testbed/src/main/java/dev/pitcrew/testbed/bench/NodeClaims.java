package dev.pitcrew.testbed.bench;

import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelector;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSelectorBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;

/// Claims in a namespace of their own or beside pods, and what the node publishes.
record NodeClaims(KubernetesClient client, RealNode node) {
  static final String GPU = "gpu.nvidia.com";
  static final String MIG = "mig.nvidia.com";
  private static final String DRIVER = "gpu.nvidia.com";
  private static final String PODS = "default";
  private static final int RADIX = 36;

  /// Where claims may have admin access.
  private static final String ADMINS = "claim-calls";

  List<ResourceSlice> slices() {
    return client.resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> node.name().equals(slice.getSpec().getNodeName()))
        .toList();
  }

  List<Device> devices() {
    return slices().stream().flatMap(slice -> slice.getSpec().getDevices().stream()).toList();
  }

  /// The names of the whole GPUs in the slices, or of their MIG devices of one profile.
  List<String> devices(String profile) {
    return devices().stream()
        .map(Device::getName)
        .filter(name -> profile.isEmpty() ? !name.contains("-mig-") : name.contains(profile))
        .sorted()
        .toList();
  }

  void deleteSlices() {
    slices().forEach(slice -> client.resource(slice).delete());
  }

  /// Claims that are allocated without a scheduler, one for each device.
  ///
  /// @param isAdmin whether claims have a device in common
  List<Claim> allocated(List<String> devices, String deviceClass, boolean isAdmin) {
    var namespace =
        """
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "%s",
         "labels": {"resource.kubernetes.io/admin-access": "true"}}}
        """
            .formatted(ADMINS);
    client.resource(namespace).serverSideApply();
    var made = new ConcurrentSkipListMap<Integer, Claim>();
    Concurrently.forEach(
        IntStream.range(0, devices.size()).boxed().toList(),
        index -> made.put(index, allocated(index, devices.get(index), deviceClass, isAdmin)));
    return List.copyOf(made.values());
  }

  private Claim allocated(int index, String device, String deviceClass, boolean isAdmin) {
    var created = client.resource(claim("call-" + index, ADMINS, deviceClass, isAdmin)).create();
    var given =
        new ResourceClaimBuilder(created)
            .withNewStatus()
            .withNewAllocation()
            .withNewDevices()
            .addNewResult()
            .withRequest("gpu")
            .withDriver(DRIVER)
            .withPool(node.name())
            .withDevice(device)
            .withAdminAccess(isAdmin ? Boolean.TRUE : null)
            .endResult()
            .endDevices()
            .endAllocation()
            .endStatus()
            .build();
    client.resource(given).updateStatus();
    return Claim.newBuilder()
        .setNamespace(ADMINS)
        .setName(created.getMetadata().getName())
        .setUid(created.getMetadata().getUid())
        .build();
  }

  private static ResourceClaim claim(
      String name, String namespace, String deviceClass, boolean isAdmin) {
    return new ResourceClaimBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .endMetadata()
        .withNewSpec()
        .withNewDevices()
        .addNewRequest()
        .withName("gpu")
        .withNewExactly()
        .withDeviceClassName(deviceClass)
        .withAdminAccess(isAdmin ? Boolean.TRUE : null)
        .endExactly()
        .endRequest()
        .endDevices()
        .endSpec()
        .build();
  }

  private static DeviceSelector ofProfile(String profile) {
    return new DeviceSelectorBuilder()
        .withNewCel("device.attributes['%s'].profile == '%s'".formatted(DRIVER, profile))
        .build();
  }

  void deleteAllocated() {
    client.resources(ResourceClaim.class).inNamespace(ADMINS).delete();
    Await.orFail(
        AgentUnderTest.LIMIT,
        "the claims did not go",
        () ->
            client.resources(ResourceClaim.class).inNamespace(ADMINS).list().getItems().isEmpty());
  }

  /// Pods with a claim each, from before the first is created until all run. Pods and claims are
  /// gone when it returns.
  ///
  /// @param profile of MIG devices, such as `1g.10gb`; empty for whole GPUs
  Duration pods(int count, String profile) {
    // The kubelet prepares no claim whose name another one has that is not unprepared yet.
    var batch = Long.toString(System.nanoTime(), RADIX);
    var names =
        IntStream.range(0, count).mapToObj(index -> "pod-%s-%d".formatted(batch, index)).toList();
    for (var name : names) {
      var claim = claim(name, PODS, profile.isEmpty() ? GPU : MIG, false);
      if (!profile.isEmpty()) {
        claim
            .getSpec()
            .getDevices()
            .getRequests()
            .getFirst()
            .getExactly()
            .setSelectors(List.of(ofProfile(profile)));
      }
      client.resource(claim).create();
    }
    var running = new ConcurrentSkipListMap<String, Long>();
    try (var _ = client.pods().inNamespace(PODS).inform(new Listener(running))) {
      var begin = System.nanoTime();
      Concurrently.forEach(
          names, name -> ProbePod.create(client, ProbePodSpec.on(node).withClaim(name)));
      Await.orFail(
          AgentUnderTest.LIMIT,
          () -> "%d of %d pods with claims run: %s".formatted(running.size(), count, trouble()),
          () -> running.size() == count);
      var last = running.values().stream().mapToLong(it -> it).max().orElse(begin);
      return Duration.ofNanos(last - begin);
    } finally {
      client.pods().inNamespace(PODS).delete();
      client.resources(ResourceClaim.class).inNamespace(PODS).delete();
      Await.orFail(
          AgentUnderTest.LIMIT,
          "the claims of the pods did not go",
          () ->
              client.pods().inNamespace(PODS).list().getItems().isEmpty()
                  && client
                      .resources(ResourceClaim.class)
                      .inNamespace(PODS)
                      .list()
                      .getItems()
                      .isEmpty());
    }
  }

  /// What Events say of pods.
  private List<String> trouble() {
    return client.v1().events().inNamespace(PODS).list().getItems().stream()
        .filter(event -> event.getType().equals("Warning"))
        .map(event -> event.getReason() + ": " + event.getMessage())
        .distinct()
        .toList();
  }

  private record Listener(Map<String, Long> running) implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      if (pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase())) {
        running.putIfAbsent(pod.getMetadata().getName(), System.nanoTime());
      }
    }

    @Override
    public void onUpdate(Pod before, Pod after) {
      onAdd(after);
    }

    @Override
    public void onDelete(Pod last, boolean isFinalStateUnknown) {}
  }
}
