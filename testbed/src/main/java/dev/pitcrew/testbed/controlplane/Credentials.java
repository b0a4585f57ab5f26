package dev.pitcrew.testbed.controlplane;

import java.util.List;

/// Certificates, keys and kubeconfig files of one control plane, all in its work directory.
record Credentials(WorkDirectory directory, CertificateAuthority authority) {
  static Credentials writeInto(WorkDirectory directory, ControlPlaneOptions options) {
    var credentials = new Credentials(directory, CertificateAuthority.create("pitcrew-testbed"));
    directory.write("ca.crt", credentials.authority.certificatePem());
    var serviceAccounts = CertificateAuthority.newKeyPair();
    directory.write("service-accounts.key", Pem.privateKey(serviceAccounts.privateKey()));
    directory.write("service-accounts.pub", Pem.publicKey(serviceAccounts.publicKey()));
    credentials.save("apiserver", credentials.server(options));
    credentials.save("apiserver-kubelet", credentials.client("kube-apiserver", "system:masters"));
    return credentials;
  }

  /// Kubeconfig files that depend on the API server's address.
  void writeKubeconfigs(Kubeconfig kubeconfig) {
    var admin = client("kubernetes-admin", "system:masters");
    var controllerManager = client("system:kube-controller-manager");
    var scheduler = client("system:kube-scheduler");
    directory.write("kubeconfig", kubeconfig.forIdentity(admin));
    directory.write("controller-manager.kubeconfig", kubeconfig.forIdentity(controllerManager));
    directory.write("scheduler.kubeconfig", kubeconfig.forIdentity(scheduler));
  }

  private Identity client(String user, String... groups) {
    return authority.issueClient(user, List.of(groups));
  }

  private Identity server(ControlPlaneOptions options) {
    return authority.issueServer(
        "kube-apiserver",
        List.of(
            "localhost",
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "127.0.0.1",
            CommandLines.KUBERNETES_SERVICE_ADDRESS,
            options.address()));
  }

  private void save(String name, Identity identity) {
    directory.write(name + ".crt", identity.certificatePem());
    directory.write(name + ".key", identity.privateKeyPem());
  }
}
