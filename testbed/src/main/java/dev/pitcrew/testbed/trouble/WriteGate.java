package dev.pitcrew.testbed.trouble;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// Holds chosen writes of one user inside the API server: a validating admission webhook that this
/// process serves. A process can thus be killed while its write is in flight, and the test decides
/// whether that write still lands ([#kill]).
///
/// A write is named by operation, kind and subresource, such as `create DaemonSet`, `update
/// ClusterPolicy/status`, `delete Pod`, `create Eviction`. Admission knows no patch: a patch or an
/// apply is a `create` or an `update`. Leases and dry runs pass uncounted. Every write of the user
/// goes through the webhook until the gate is closed.
public final class WriteGate implements AutoCloseable {
  private static final String NAME = "write-gate";
  private static final String PROBE = "write-gate-probe";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String CONFIGURATION =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingWebhookConfiguration
      metadata:
        name: write-gate
      webhooks:
      - name: write-gate.pitcrew.dev
        admissionReviewVersions: [v1]
        sideEffects: None
        failurePolicy: Fail
        timeoutSeconds: 30
        clientConfig:
          url: %s
          caBundle: %s
        rules:
        - apiGroups: ['*']
          apiVersions: ['*']
          operations: [CREATE, UPDATE, DELETE]
          resources: ['*/*']
        matchConditions:
        - name: writes-of-the-user
          expression: >-
            request.userInfo.username == '%s' && request.resource.resource != 'leases'
            || has(request.name) && request.name == 'write-gate-probe'
      """;

  private final KubernetesClient client;
  private final ControlPlane controlPlane;
  private final Link link;
  private final AdmissionServer server;
  private final List<HeldWrite> holds = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final AtomicInteger probes = new AtomicInteger();

  private WriteGate(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.link = Link.to(controlPlane.apiServerAddress());
    this.server = AdmissionServer.start(controlPlane.certificateAuthority(), this::decide);
  }

  /// Returns when every write of the user goes through the gate.
  ///
  /// @param user such as `system:serviceaccount:<namespace>:<name>`
  public static WriteGate of(ControlPlane controlPlane, String user) {
    var gate = new WriteGate(controlPlane);
    try {
      gate.install(user);
      return gate;
    } catch (RuntimeException | Error e) {
      gate.close();
      throw e;
    }
  }

  /// Holds the next write of a sort.
  public HeldWrite hold(String sort) {
    return hold(sort, 1);
  }

  /// Holds the n-th write of a sort from now on.
  public HeldWrite hold(String sort, int number) {
    var held = new HeldWrite(sort, number);
    holds.add(held);
    return held;
  }

  /// How many writes of each sort have come since the last [#forget], held ones included.
  public Map<String, Integer> counts() {
    synchronized (counts) {
      return new TreeMap<>(counts);
    }
  }

  /// Counts from zero again.
  public void forget() {
    synchronized (counts) {
      counts.clear();
    }
  }

  /// Writes a copy of a kubeconfig of the control plane for a process that [#kill] can end.
  public Path kubeconfig(Path direct) {
    try {
      var folder = Files.createTempDirectory(controlPlane.directory().path(), "write-gate-");
      return link.kubeconfig(controlPlane, direct, folder);
    } catch (IOException e) {
      throw new TestbedException("write a kubeconfig for the write gate", e);
    }
  }

  /// Kills an operator as the loss of its machine does: the API server does not see the connections
  /// close, which would cancel the requests in flight. Held writes stay held.
  public void kill(OperatorProcess operator) {
    link.freeze();
    operator.kill();
  }

  /// Lets every held write pass and removes the webhook.
  @Override
  public void close() {
    holds.forEach(HeldWrite::allow);
    client.admissionRegistration().v1().validatingWebhookConfigurations().withName(NAME).delete();
    awaitProbe(false);
    link.close();
    server.close();
  }

  private void install(String user) {
    var authority =
        controlPlane.certificateAuthority().certificatePem().getBytes(StandardCharsets.UTF_8);
    var bundle = Base64.getEncoder().encodeToString(authority);
    var yaml = CONFIGURATION.formatted(server.address(), bundle, user);
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
    awaitProbe(true);
  }

  /// Runs on a thread of its own for each write.
  private boolean decide(AdmissionServer.Write write) {
    if (write.name().equals(PROBE)) {
      probes.incrementAndGet();
    }
    if (write.isDryRun()) {
      return true;
    }
    synchronized (counts) {
      counts.merge(write.sort(), 1, Integer::sum);
    }
    return holds.stream().noneMatch(held -> held.takes(write.sort()) && !held.awaitAnswer());
  }

  /// The API server follows a webhook configuration a moment after its creation or deletion.
  private void awaitProbe(boolean isExpected) {
    var deadline = System.nanoTime() + LIMIT.toNanos();
    while (isProbeSeen() != isExpected) {
      if (System.nanoTime() > deadline) {
        var words = isExpected ? "does not ask" : "still asks";
        throw new TestbedException(
            "the API server %s the write gate after %d s".formatted(words, LIMIT.toSeconds()));
      }
      Occupant.pause();
    }
  }

  private boolean isProbeSeen() {
    var before = probes.get();
    var probe =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName(PROBE)
            .endMetadata()
            .build();
    client.resource(probe).dryRun().create();
    return probes.get() > before;
  }
}
