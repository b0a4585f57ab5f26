package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.FreePorts;

/// The TCP ports of one control plane. A start that finds them taken is repeated with others.
record Ports(int etcd, int apiServer) {
  static Ports free() {
    var ports = FreePorts.two();
    return new Ports(ports.first(), ports.second());
  }
}
