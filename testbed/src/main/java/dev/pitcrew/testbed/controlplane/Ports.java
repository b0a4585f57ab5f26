package dev.pitcrew.testbed.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/// The TCP ports of one control plane. They are free when they are picked; whoever is faster takes
/// them, so a start that loses that race is repeated with others.
record Ports(int etcd, int apiServer) {
  static Ports free() {
    var loopback = InetAddress.getLoopbackAddress();
    // Both are held until both are known, so that they differ.
    try (var first = new ServerSocket(0, 1, loopback);
        var second = new ServerSocket(0, 1, loopback)) {
      return new Ports(first.getLocalPort(), second.getLocalPort());
    } catch (IOException e) {
      throw new UncheckedIOException("find a free port on loopback", e);
    }
  }
}
