package dev.pitcrew.core.web;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a server listens, as `--metrics-bind-address` and `--health-probe-bind-address` spell it.
public sealed interface BindAddress {

  /// The server is off: `0`.
  record Off() implements BindAddress {}

  /// Listens on that address; an empty host means all interfaces, port 0 any free port.
  record Listen(String host, int port) implements BindAddress {
    InetSocketAddress socketAddress() {
      return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }
  }

  /// `0`, `:8080`, `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
  ///
  /// @throws IllegalArgumentException for anything else; the message names the text and the valid
  ///   forms
  static BindAddress parse(String text) {
    if (text.equals("0")) {
      return new Off();
    }
    Matcher address =
        Pattern.compile("(?<host>\\[[0-9A-Fa-f:.]+]|[^:\\[\\]\\s]*):(?<port>[0-9]{1,5})")
            .matcher(text);
    if (!address.matches() || Integer.parseInt(address.group("port")) > 65_535) {
      throw new IllegalArgumentException(
          "\"%s\" is no address to listen on; give host:port, :port or 0 for off".formatted(text));
    }
    return new Listen(address.group("host"), Integer.parseInt(address.group("port")));
  }
}
