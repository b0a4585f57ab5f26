package dev.pitcrew.agent.metrics.web;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How an endpoint is protected.
///
/// @param encryption empty for plain HTTP
/// @param users bcrypt hashes of passwords, by name; without any, no client is asked
/// @param headers of every answer
record WebConfig(
    Optional<Encryption> encryption, Map<String, String> users, Map<String, String> headers) {

  WebConfig {
    users = Map.copyOf(users);
    headers = Map.copyOf(headers);
  }

  /// @param protocols in JSSE's words, as are suites and curves; empty for the JDK's choice
  /// @param prefersOwnOrder whether the server's order of suites counts
  record Encryption(
      ServerKeys.Pair keys,
      ClientTrust.Rules trust,
      ClientCertificate client,
      List<String> protocols,
      List<String> suites,
      List<String> curves,
      boolean prefersOwnOrder) {

    Encryption {
      protocols = List.copyOf(protocols);
      suites = List.copyOf(suites);
      curves = List.copyOf(curves);
    }
  }

  /// Go's names of what is asked of a client.
  enum ClientCertificate {
    NO_CLIENT_CERT("NoClientCert"),
    REQUEST("RequestClientCert"),
    REQUIRE_ANY("RequireAnyClientCert"),
    VERIFY_IF_GIVEN("VerifyClientCertIfGiven"),
    REQUIRE_AND_VERIFY("RequireAndVerifyClientCert");

    private final String word;

    ClientCertificate(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }

    boolean isRequired() {
      return this == REQUIRE_ANY || this == REQUIRE_AND_VERIFY;
    }

    boolean isVerified() {
      return this == VERIFY_IF_GIVEN || this == REQUIRE_AND_VERIFY;
    }
  }
}
