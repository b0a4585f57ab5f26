package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.agent.driver.DriverPreparation.FileEvents;
import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.core.names.FieldManagers;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// A Node of a real API server, a folder for its host with the socket of a kubelet, and an account
/// with the rights of a driver manager and no other.
record PreparationBed(
    KubernetesClient client,
    TestAccount account,
    String node,
    FakeHost host,
    TestPodResources kubelet)
    implements AutoCloseable {
  static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  static final String DCGM = "nvidia.com/gpu.deploy.dcgm";
  static final Duration LIMIT = Duration.ofSeconds(90);
  static final Duration LONG_TIMEOUT = Duration.ofMinutes(5);
  static final Duration IMPATIENT = Duration.ofMillis(200);
  private static final Duration KERNEL = Duration.ofSeconds(2);

  /// Of a group that the control plane does not know, so that it leaves the pods alone.
  private static final OwnerReference DAEMON_SET =
      new OwnerReferenceBuilder()
          .withApiVersion("example.com/v1")
          .withKind("DaemonSet")
          .withName("operands")
          .withUid("5f2c0a7e-0000-4000-8000-000000000002")
          .withController(true)
          .build();

  static PreparationBed create(ControlPlane plane, String namespace, Path folder)
      throws IOException {
    Path root = Files.createDirectory(folder.resolve("host"));
    var bed =
        new PreparationBed(
            plane.client(),
            TestAccount.ofDriverManager(
                plane, namespace, Files.createDirectory(folder.resolve("account"))),
            "node-" + namespace,
            new FakeHost(root),
            TestPodResources.start(root));
    bed.client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(bed.node)
                .addToLabels(Map.of(OperandLabels.DRIVER, "true", PLUGIN, "true", DCGM, "false"))
                .endMetadata()
                .build())
        .create();
    return bed;
  }

  @Override
  public void close() {
    kubelet.close();
    client.pods().inNamespace(account.namespace()).withGracePeriod(0).delete();
    client.nodes().withName(node).delete();
  }

  PreparationResult run(String digest, Duration timeout) throws Exception {
    return run(digest, timeout, new WakeUp());
  }

  PreparationResult run(String digest, Duration timeout, WakeUp wakeUp) throws Exception {
    return run(digest, timeout, wakeUp, InstantSource.system());
  }

  PreparationResult run(String digest, Duration timeout, WakeUp wakeUp, InstantSource clock)
      throws Exception {
    try (var server = server()) {
      return new DriverPreparation(options(digest, timeout), server, clock, wakeUp).run();
    }
  }

  /// @param files reports files in the place of the kernel
  PreparationResult run(String digest, FileEvents files) throws Exception {
    try (var server = server()) {
      return new DriverPreparation(
              options(digest, LONG_TIMEOUT), server, InstantSource.system(), new WakeUp(), files)
          .run();
    }
  }

  /// Why the node cannot be worked with, if so.
  Optional<String> check(String digest) throws Exception {
    try (var server = server()) {
      return new DriverPreparation(
              options(digest, LONG_TIMEOUT), server, InstantSource.system(), new WakeUp())
          .check(_ -> {});
    }
  }

  private ApiServer server() {
    return ApiServer.of(account.atServer(), FieldManagers.DRIVER_MANAGER);
  }

  private PreparationOptions options(String digest, Duration timeout) {
    return host.options(
        node, account.namespace(), digest, new Limits(timeout, LIMIT, KERNEL, KERNEL, LIMIT));
  }

  Node live() {
    return client.nodes().withName(node).require();
  }

  /// What the program has written; others of the control plane write the Node, too.
  List<ManagedFieldsEntry> written() {
    return live().getMetadata().getManagedFields().stream()
        .filter(it -> it.getManager().equals(FieldManagers.DRIVER_MANAGER))
        .toList();
  }

  /// As a manager that was killed.
  void say(String words) {
    patch("annotations", NodeLabels.DRIVER_MANAGER_WAITS, words);
  }

  void label(String key, String value) {
    patch("labels", key, value);
  }

  void unlabel(String key) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": null}}}".formatted(key));
  }

  private void patch(String field, String key, String value) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"%s\": {\"%s\": \"%s\"}}}".formatted(field, key, value));
  }

  String said() {
    return Objects.requireNonNullElse(
            live().getMetadata().getAnnotations(), Map.<String, String>of())
        .getOrDefault(NodeLabels.DRIVER_MANAGER_WAITS, "");
  }

  Map<String, String> labels() {
    return live().getMetadata().getLabels();
  }

  void release(String version) {
    host.release(node, version);
  }

  /// A pod of a namespace that the account may not read; the kubelet has given it a device.
  void hold(String pod, String resource) {
    kubelet.add(
        PodResources.newBuilder()
            .setNamespace("team")
            .setName(pod)
            .addContainers(
                ContainerResources.newBuilder()
                    .setName("main")
                    .addDevices(
                        ContainerDevices.newBuilder()
                            .setResourceName(resource)
                            .addDeviceIds("GPU-0")))
            .build());
  }

  /// @param selector a pod that has one is a DaemonSet's
  void pod(String name, Map<String, String> selector) {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(account.namespace())
                .addToLabels("app", name.equals("agent") ? "pitcrew-agent" : name)
                .withOwnerReferences(selector.isEmpty() ? List.of() : List.of(DAEMON_SET))
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withNodeSelector(selector)
                .addNewContainer()
                .withName("main")
                .withImage("example.com/none")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  void running(String name) {
    client
        .pods()
        .inNamespace(account.namespace())
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"phase": "Running", "containerStatuses": [
              {"name": "main", "image": "example.com/none", "imageID": "", "ready": true,
               "restartCount": 0, "state": {"running": {"startedAt": "2026-11-23T08:00:00Z"}}}]}}
            """);
  }

  void delete(String name) {
    client.pods().inNamespace(account.namespace()).withName(name).withGracePeriod(0).delete();
  }
}
