package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.BoundObjectReference;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestSpecBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A running control plane. Closing it, or the end of this JVM in any way, ends every process and
/// removes every file of it.
public final class ControlPlane implements AutoCloseable {
  private static final long TOKEN_SECONDS = Duration.ofHours(24).toSeconds();

  private final WorkDirectory directory;
  private final Credentials credentials;
  private final Processes processes;
  private final Kubeconfig kubeconfig;
  private final KubernetesClient client;

  private ControlPlane(WorkDirectory directory, Credentials credentials, Processes processes) {
    this.directory = directory;
    this.credentials = credentials;
    this.processes = processes;
    this.kubeconfig =
        new Kubeconfig(processes.apiServerAddress(), credentials.authority().certificatePem());
    credentials.writeKubeconfigs(kubeconfig);
    this.client = clientFor(kubeconfigFile());
  }

  /// Starts a control plane in a fresh temporary folder; it is ready for use on return.
  ///
  /// @throws dev.pitcrew.testbed.TestbedException if a program cannot be had or does not start
  public static ControlPlane start(ControlPlaneOptions options) {
    var binaries = Binaries.standard(Progress.standardError());
    resolve(binaries);
    return start(WorkDirectory.temporary(), binaries, options);
  }

  /// Starts a control plane in `directory`, which it closes when it is closed itself, and also when
  /// the start fails.
  public static ControlPlane start(
      WorkDirectory directory, Binaries binaries, ControlPlaneOptions options) {
    try {
      resolve(binaries);
      directory.write("audit-policy.yaml", WorkDirectory.resource("audit-policy.yaml"));
      var credentials = Credentials.writeInto(directory, options);
      var lines = new CommandLines(binaries, directory, options, Ports.free());
      var processes = Processes.serving(lines, credentials.authority().certificatePem());
      return new ControlPlane(directory, credentials, processes).withControllers();
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  private ControlPlane withControllers() {
    try {
      processes.startControllers();
      processes.awaitControllers(this::hasDefaultServiceAccount);
      return this;
    } catch (RuntimeException | Error e) {
      client.close();
      throw e;
    }
  }

  /// A client with every right; it belongs to the control plane and must not be closed.
  public KubernetesClient client() {
    return client;
  }

  /// The address of the API server, which a restart keeps.
  public String apiServerAddress() {
    return processes.apiServerAddress();
  }

  /// The address of the service `kubernetes` within every cluster of the test bed.
  public static String serviceAddress() {
    return CommandLines.KUBERNETES_SERVICE_ADDRESS;
  }

  /// A kubeconfig file of a user with every right.
  public Path kubeconfigFile() {
    return directory.file("kubeconfig");
  }

  /// A kubeconfig file that carries a token of the service account for 24 hours, so that its user
  /// has exactly the rights that RBAC gives to a pod with this account.
  public Path kubeconfigFor(String namespace, String serviceAccount) {
    return kubeconfigFor(namespace, serviceAccount, new TokenRequestSpecBuilder());
  }

  /// A kubeconfig file with a token like that which a kubelet asks for: of the pod's service
  /// account and bound to the pod, so that the API server knows the pod and its node by it.
  ///
  /// @param pod as the API server has it, with a node
  public Path kubeconfigFor(Pod pod) {
    var metadata = pod.getMetadata();
    var bound =
        new TokenRequestSpecBuilder()
            .withBoundObjectRef(
                new BoundObjectReference("v1", "Pod", metadata.getName(), metadata.getUid()));
    return kubeconfigFor(metadata.getNamespace(), pod.getSpec().getServiceAccountName(), bound);
  }

  private Path kubeconfigFor(
      String namespace, String serviceAccount, TokenRequestSpecBuilder wanted) {
    var request =
        new TokenRequestBuilder()
            .withSpec(wanted.withExpirationSeconds(TOKEN_SECONDS).build())
            .build();
    var answer =
        client
            .serviceAccounts()
            .inNamespace(namespace)
            .withName(serviceAccount)
            .tokenRequest(request);
    var name = wanted.hasBoundObjectRef() ? wanted.buildBoundObjectRef().getName() : serviceAccount;
    return directory.write(
        "%s.%s.kubeconfig".formatted(namespace, name),
        kubeconfig.forToken(answer.getStatus().getToken()));
  }

  /// A kubeconfig file of a user that authenticates with a certificate, in the given groups. A node
  /// is the user `system:node:<name>` in the group `system:nodes`.
  public Path kubeconfigForUser(String user, String... groups) {
    var identity = credentials.authority().issueClient(user, List.of(groups));
    return directory.write(
        user.replaceAll("[^A-Za-z0-9.-]", "_") + ".user.kubeconfig",
        kubeconfig.forIdentity(identity));
  }

  /// Signs what the API server trusts as a client.
  public CertificateAuthority certificateAuthority() {
    return credentials.authority();
  }

  /// Every request that the API server has answered since its first start.
  public AuditLog auditLog() {
    return new AuditLog(directory.file("audit.log"));
  }

  /// The folder with logs, data and kubeconfig files; further processes of the test bed may be
  /// started in it and end with it.
  public WorkDirectory directory() {
    return directory;
  }

  /// Kills the API server; etcd, the controllers and the data stay.
  public void stopApiServer() {
    processes.stopApiServer();
  }

  /// Starts the API server again, on the same port, and returns when it is ready.
  public void startApiServer() {
    processes.startApiServer();
  }

  /// Lets etcd forget everything but the present, as API servers do with all that is older than a
  /// few minutes: pages of a list that began before are answered with 410 Gone from now on, and so
  /// are watches of kinds that the API server does not cache, such as Events.
  public void forgetHistory() {
    new EtcdHistory(processes.etcdAddress()).forget();
  }

  @Override
  public void close() {
    client.close();
    directory.close();
  }

  private boolean hasDefaultServiceAccount() {
    return client.serviceAccounts().inNamespace("default").withName("default").get() != null;
  }

  private static void resolve(Binaries binaries) {
    binaries.resolveAll(Binary.FOR_CONTROL_PLANE);
  }

  private static KubernetesClient clientFor(Path kubeconfigFile) {
    var config = Config.fromKubeconfig(kubeconfigFile.toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }
}
