package dev.pitcrew.agent.runtime;

import dev.pitcrew.hardware.HostRoot;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// containerd whose files the agent does not write. Before 2.0 it takes no devices by CDI names
/// unless `enable_cdi` is set (containerd, docs/cri/config.md): it starts the container without
/// them.
///
/// @param config that it reads, on the host
/// @param socket on which it answers, on the host
/// @param remedy how CDI is switched on there
public record LeftAloneRuntime(String config, String socket, String remedy) {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String TABLE = "[plugins.\"io.containerd.grpc.v1.cri\"]";

  /// These start a containerd of their own, beside one that the host may have for others
  /// (docs.k3s.io, "Advanced Options"; docs.rke2.io, "Advanced Options"; microk8s.io, "Configuring
  /// services").
  private static final List<LeftAloneRuntime> OF_DISTRIBUTIONS =
      List.of(
          ofRancher("k3s", "k3s, or k3s-agent on a node that is no server"),
          ofRancher("rke2", "rke2-agent, or rke2-server on a server"),
          new LeftAloneRuntime(
              "/var/snap/microk8s/current/args/containerd.toml",
              "/var/snap/microk8s/common/run/containerd.sock",
              "set enable_cdi = true in the table %s of /var/snap/microk8s/current/args/containerd-template.toml, and run snap restart microk8s.daemon-containerd"
                  .formatted(TABLE)));

  private static LeftAloneRuntime ofRancher(String name, String service) {
    String config = "/var/lib/rancher/%s/agent/etc/containerd/config.toml".formatted(name);
    return new LeftAloneRuntime(
        config,
        "/run/k3s/containerd/containerd.sock",
        "write the template of this release of %s to %s.tmpl with enable_cdi = true in its table %s, and run systemctl restart %s; releases with containerd 2 have it on"
            .formatted(name, config, TABLE, service));
  }

  /// The one that the kubelet of a host uses.
  ///
  /// @param usual what systemd starts; empty where there is none
  public static Optional<LeftAloneRuntime> of(HostRoot host, Optional<RuntimePlace> usual) {
    return OF_DISTRIBUTIONS.stream()
        .filter(it -> host.exists(it.config()) && host.exists(it.socket()))
        .findFirst()
        .or(() ->
            usual.map(it ->
                new LeftAloneRuntime(
                    it.mainPath(),
                    it.socket(),
                    "set enable_cdi = true in the table %s of %s, by the means that the owner of that file provides, and run systemctl restart containerd"
                        .formatted(TABLE, it.mainPath()))));
  }

  /// Whether it says itself that it takes no devices by CDI names. One that does not answer, or is
  /// no containerd, does not say so.
  public boolean refusesCdi(HostRoot host) {
    try {
      return CriStatus.of(host.resolve(socket).toAbsolutePath().normalize(), LIMIT)
          .takesCdi()
          .filter(takes -> !takes)
          .isPresent();
    } catch (IOException | UncheckedIOException | StatusRuntimeException _) {
      return false;
    }
  }
}
