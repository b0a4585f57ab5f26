package dev.pitcrew.agent.realnode;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/// Claims of the namespace `default`, the pods that use them, and what a DRA driver of the node
/// publishes.
///
/// @param driver the name of the driver
record ClaimsOnNode(GpuNode node, String driver) {
  /// The label of nodes whose GPUs claims allocate.
  static final String SELECTED = "gpu-claims";

  private static final Duration LIMIT = Duration.ofSeconds(90);

  void apply(String yaml) {
    node.client()
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .serverSideApply();
  }

  /// A class of the driver's devices of one type.
  ///
  /// @param more of the spec
  void deviceClass(String name, String type, String more) {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: %s}
        spec:
          selectors:
            - cel: {expression: "device.driver == '%s' && device.attributes['%s'].type == '%s'"}
          %s
        """
            .formatted(name, driver, driver, type, more));
  }

  /// A claim for one device of a class.
  ///
  /// @param expression of CEL; empty for none
  /// @param more of the claim's `devices`, as YAML
  void claim(String name, String deviceClass, String expression, String more) {
    String selectors =
        expression.isEmpty()
            ? ""
            : ", selectors: [{cel: {expression: \"%s\"}}]".formatted(expression);
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: default}
        spec:
          devices:
            requests:
              - {name: gpu, exactly: {deviceClassName: %s%s}}
        """
                .formatted(name, deviceClass, selectors)
            + more.indent(0));
  }

  /// Starts a pod with a claim and waits until it runs.
  GpuPod run(String claim) {
    return GpuPod.run(node.client(), ProbePodSpec.on(node.node()).withClaim(claim));
  }

  /// Creates a pod with a claim.
  ProbePod create(String claim) {
    return ProbePod.create(node.client(), ProbePodSpec.on(node.node()).withClaim(claim));
  }

  /// Reason and message of each Event of a pod.
  List<String> events(ProbePod pod) {
    return node.client().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> pod.name().equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + event.getMessage())
        .toList();
  }

  List<ResourceClaim> all() {
    return claims().list().getItems();
  }

  /// Deletes a claim and waits until it is gone.
  void delete(String claim) {
    claims().withName(claim).delete();
    await().atMost(LIMIT).until(() -> claims().withName(claim).get() == null);
  }

  /// Deletes all claims and waits until they are gone.
  void deleteAll() {
    all().forEach(claim -> node.client().resource(claim).delete());
    await().atMost(LIMIT).until(() -> all().isEmpty());
  }

  List<ResourceSlice> slices() {
    return node.client().resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> slice.getSpec().getDriver().equals(driver))
        .toList();
  }

  /// The names of the devices in the driver's ResourceSlices.
  List<String> devices() {
    return slices().stream()
        .flatMap(slice -> slice.getSpec().getDevices().stream())
        .map(Device::getName)
        .sorted()
        .toList();
  }

  private NonNamespaceOperation<
          ResourceClaim, KubernetesResourceList<ResourceClaim>, Resource<ResourceClaim>>
      claims() {
    return node.client().resources(ResourceClaim.class).inNamespace("default");
  }
}
