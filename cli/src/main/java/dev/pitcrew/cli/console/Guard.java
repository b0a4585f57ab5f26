package dev.pitcrew.cli.console;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Keeps other pages of the browser out. A page of another site can send requests to loopback, but
/// not without headers that say so:
///
/// - a name that resolves to loopback (DNS rebinding) is in `Host`;
/// - another site is in `Sec-Fetch-Site`, which every current browser sends to loopback and no
///   script can change, and in `Origin` of most requests.
///
/// So a secret in the address, which would end up in the history of the browser, adds nothing.
/// Other users of the machine are not kept out, as with `kubectl proxy`.
final class Guard {
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  private final Set<String> hosts;

  Guard(int port) {
    hosts = Set.of("127.0.0.1:" + port, "localhost:" + port);
  }

  /// Why a request is not answered; empty where it is.
  ///
  /// @param header by its name, null where it is not there
  Optional<String> refusal(Function<String, @Nullable String> header) {
    String host = header.apply("Host");
    if (host == null || !hosts.contains(host)) {
      return Optional.of(
          "this host is not served: open the address that kubectl gpu console has printed");
    }
    String origin = header.apply("Origin");
    if (origin != null && !hosts.contains(origin.replaceFirst("^http://", ""))) {
      return Optional.of("pages of other sites are not served");
    }
    String site = header.apply("Sec-Fetch-Site");
    // A link to the console in a page of another site opens it, and lets that site see nothing.
    boolean isLink =
        List.of("navigate", "document")
            .equals(
                List.of(
                    orEmpty(header.apply("Sec-Fetch-Mode")),
                    orEmpty(header.apply("Sec-Fetch-Dest"))));
    return site == null || OWN_SITE.contains(site) || isLink
        ? Optional.empty()
        : Optional.of("pages of other sites are not served");
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
