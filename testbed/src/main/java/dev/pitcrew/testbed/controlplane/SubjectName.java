package dev.pitcrew.testbed.controlplane;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;

/// One subject alternative name of a server certificate (GeneralName in RFC 5280, 4.2.1.6).
final class SubjectName {
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  private SubjectName() {}

  static byte[] encode(String host) {
    try {
      return Der.implicit(IP_ADDRESS, InetAddress.ofLiteral(host).getAddress());
    } catch (IllegalArgumentException _) {
      return Der.implicit(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
