package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// How each process of the control plane is called.
record CommandLines(
    Binaries binaries, WorkDirectory directory, ControlPlaneOptions options, Ports ports) {
  static final String SERVICE_RANGE = "10.96.0.0/16";
  static final String KUBERNETES_SERVICE_ADDRESS = "10.96.0.1";

  CommandLines withPorts(Ports others) {
    return new CommandLines(binaries, directory, options, others);
  }

  /// The peer port is any port: a single member never dials itself.
  List<String> etcd() {
    return command(
        Binary.ETCD,
        "--data-dir=" + directory.file("etcd"),
        "--listen-client-urls=" + etcdAddress(),
        "--advertise-client-urls=" + etcdAddress(),
        "--listen-peer-urls=http://127.0.0.1:0",
        "--quota-backend-bytes=8589934592",
        "--unsafe-no-fsync");
  }

  String etcdAddress() {
    return "http://127.0.0.1:" + ports.etcd();
  }

  String apiServerAddress() {
    return "https://%s:%d".formatted(options.address(), ports.apiServer());
  }

  List<String> apiServer() {
    var arguments =
        Stream.of(servingArguments(), identityArguments(), behaviourArguments())
            .flatMap(List::stream);
    return command(Binary.KUBE_APISERVER, arguments.toArray(String[]::new));
  }

  private List<String> servingArguments() {
    return List.of(
        "--etcd-servers=" + etcdAddress(),
        "--secure-port=" + ports.apiServer(),
        "--bind-address=" + options.address(),
        "--advertise-address=" + options.address(),
        // An endpoint on loopback is refused by validation.
        "--endpoint-reconciler-type=" + (options.isLoopback() ? "none" : "lease"),
        "--service-cluster-ip-range=" + SERVICE_RANGE,
        // Services are dialled by endpoint: this host has no kube-proxy (admission webhooks).
        "--enable-aggregator-routing=true");
  }

  private List<String> identityArguments() {
    return List.of(
        "--client-ca-file=" + directory.file("ca.crt"),
        "--tls-cert-file=" + directory.file("apiserver.crt"),
        "--tls-private-key-file=" + directory.file("apiserver.key"),
        "--kubelet-client-certificate=" + directory.file("apiserver-kubelet.crt"),
        "--kubelet-client-key=" + directory.file("apiserver-kubelet.key"),
        "--kubelet-preferred-address-types=InternalIP,Hostname",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=" + directory.file("service-accounts.pub"),
        "--service-account-signing-key-file=" + directory.file("service-accounts.key"));
  }

  private List<String> behaviourArguments() {
    return List.of(
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        "--max-requests-inflight=3000",
        "--max-mutating-requests-inflight=1500",
        "--profiling=false",
        "--audit-policy-file=" + directory.file("audit-policy.yaml"),
        "--audit-log-path=" + directory.file("audit.log"),
        // In MB: a log that was rotated away in the middle of a test cannot be counted.
        "--audit-log-maxsize=100000");
  }

  List<String> controllerManager() {
    var controllers = new ArrayList<String>(List.of("*"));
    options.disabledControllers().forEach(controller -> controllers.add("-" + controller));
    var gracePeriod = options.nodeMonitorGracePeriod().toSeconds() + "s";
    return command(
        Binary.KUBE_CONTROLLER_MANAGER,
        "--kubeconfig=" + directory.file("controller-manager.kubeconfig"),
        "--secure-port=0",
        "--leader-elect=false",
        "--controllers=" + String.join(",", controllers),
        "--use-service-account-credentials=true",
        "--service-account-private-key-file=" + directory.file("service-accounts.key"),
        "--root-ca-file=" + directory.file("ca.crt"),
        "--allocate-node-cidrs=false",
        "--node-monitor-grace-period=" + gracePeriod,
        "--node-startup-grace-period=" + gracePeriod,
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false");
  }

  List<String> scheduler() {
    return command(
        Binary.KUBE_SCHEDULER,
        "--kubeconfig=" + directory.file("scheduler.kubeconfig"),
        "--secure-port=0",
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false");
  }

  private List<String> command(Binary binary, String... arguments) {
    return Stream.concat(Stream.of(binaries.resolve(binary).toString()), Stream.of(arguments))
        .toList();
  }
}
