package dev.pitcrew.agent.metrics.web;

import dev.pitcrew.agent.metrics.web.WebConfig.ClientCertificate;
import dev.pitcrew.agent.metrics.web.WebConfig.Encryption;
import dev.pitcrew.core.text.YamlText;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/// Reads a web configuration file. It is in force as a whole or not at all.
final class WebConfigParser {
  private static final List<String> HEADERS =
      List.of(
          "Content-Security-Policy",
          "X-Frame-Options",
          "X-Content-Type-Options",
          "X-XSS-Protection",
          "Strict-Transport-Security");

  /// Versions that the JDK still speaks, the oldest first.
  private static final List<String> VERSIONS = List.of("TLS12", "TLS13");

  private static final Map<String, String> CURVES =
      Map.of(
          "CurveP256", "secp256r1",
          "CurveP384", "secp384r1",
          "CurveP521", "secp521r1",
          "X25519", "x25519");

  private final String file;
  private final Function<String, Optional<String>> files;
  private final List<String> problems = new ArrayList<>();

  /// @param config only where there are no problems
  record Parsed(Optional<WebConfig> config, List<String> problems) {}

  private WebConfigParser(String file, Function<String, Optional<String>> files) {
    this.file = file;
    this.files = files;
  }

  /// @param file how it is called in problems
  /// @param files the text of a file that it names
  static Parsed parse(String file, String text, Function<String, Optional<String>> files) {
    var parser = new WebConfigParser(file, files);
    Optional<WebConfig> config = parser.config(text);
    return parser.problems.isEmpty()
        ? new Parsed(config, List.of())
        : new Parsed(Optional.empty(), List.copyOf(parser.problems));
  }

  private Optional<WebConfig> config(String text) {
    try {
      var whole = Section.whole(file, YamlText.compose(text), problems);
      whole.only(List.of("tls_server_config", "http_server_config", "basic_auth_users"));
      Optional<Encryption> encryption =
          whole.has("tls_server_config")
              ? encryption(whole.section("tls_server_config"))
              : Optional.empty();
      return Optional.of(
          new WebConfig(
              encryption,
              users(whole.section("basic_auth_users")),
              headers(whole.section("http_server_config"))));
    } catch (MarkedYAMLException e) {
      problems.add(
          "%s:%d: %s: correct the YAML"
              .formatted(file, e.getProblemMark().getLine() + 1, e.getProblem()));
    } catch (YAMLException e) {
      problems.add("%s: %s: correct the YAML".formatted(file, e.getMessage()));
    }
    return Optional.empty();
  }

  private Map<String, String> users(Section section) {
    var users = new HashMap<String, String>();
    for (String user : section.values().keySet()) {
      String hash = section.text(user).orElse("");
      users.put(user, hash);
      if (!Passwords.HASH.matcher(hash).matches()) {
        // Perhaps the password itself: it is not to be read in a log.
        section.wrong(user, "no bcrypt hash; make one with 'htpasswd -nBC 10 USER'");
      }
    }
    return users;
  }

  private Map<String, String> headers(Section section) {
    section.only(List.of("http2", "headers"));
    // HTTP/2 is an offer that no client needs; it is not made.
    section.isTrue("http2");
    Section wanted = section.section("headers");
    wanted.only(HEADERS);
    var headers = new HashMap<String, String>();
    for (String name : wanted.values().keySet()) {
      wanted
          .text(name)
          .filter(it -> it.lines().count() == 1)
          .ifPresentOrElse(
              value -> headers.put(name, value), () -> wanted.wrong(name, "write one line"));
    }
    return headers;
  }

  private Optional<Encryption> encryption(Section section) {
    section.only(
        List.of(
            "cert",
            "cert_file",
            "key",
            "key_file",
            "client_ca",
            "client_ca_file",
            "client_auth_type",
            "client_allowed_sans",
            "min_version",
            "max_version",
            "cipher_suites",
            "curve_preferences",
            "prefer_server_cipher_suites"));
    ClientCertificate client = client(section);
    Optional<String> authority = text(section, "client_ca");
    if (client.isVerified() && authority.isEmpty()) {
      section.wrong("client_ca_file", "missing; name the certificates of who signs for clients");
    }
    if (authority.isPresent() && client == ClientCertificate.NO_CLIENT_CERT) {
      section.wrong("client_ca_file", "no effect without client_auth_type; give it");
    }
    Optional<String> certificate = required(section, "cert");
    Optional<String> key = required(section, "key");
    if (!problems.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Encryption(
              ServerKeys.pair(
                  PemText.certificates(certificate.orElseThrow()), PemText.key(key.orElseThrow())),
              ClientTrust.rules(
                  client.isVerified() ? PemText.certificates(authority.orElseThrow()) : List.of(),
                  section.texts("client_allowed_sans")),
              client,
              versions(section),
              suites(section),
              curves(section),
              section.isTrue("prefer_server_cipher_suites")));
    } catch (GeneralSecurityException e) {
      problems.add(
          "%s: tls_server_config: the certificates or the key cannot be used (%s); give PEM"
              .formatted(file, e.getMessage()));
      return Optional.empty();
    }
  }

  private Optional<String> required(Section section, String key) {
    Optional<String> text = text(section, key);
    if (text.isEmpty() && !section.has(key + "_file")) {
      section.wrong(key + "_file", "missing; name a PEM file");
    }
    return text;
  }

  /// As it stands here, or in the file that is named.
  private Optional<String> text(Section section, String key) {
    if (section.has(key) && section.has(key + "_file")) {
      section.wrong(key, "also given by %s_file; give one of them".formatted(key));
    }
    Optional<String> name = section.text(key + "_file");
    Optional<String> text = name.flatMap(files);
    if (name.isPresent() && text.isEmpty()) {
      section.wrong(key + "_file", name.get(), "it cannot be read");
    }
    return text.or(() -> section.text(key));
  }

  private static ClientCertificate client(Section section) {
    String word = section.text("client_auth_type").orElse("NoClientCert");
    return Arrays.stream(ClientCertificate.values())
        .filter(it -> it.word().equals(word))
        .findFirst()
        .orElseGet(() -> {
          section.wrong(
              "client_auth_type",
              word,
              "write one of "
                  + Arrays.stream(ClientCertificate.values())
                      .map(ClientCertificate::word)
                      .collect(Collectors.joining(", ")));
          return ClientCertificate.REQUIRE_AND_VERIFY;
        });
  }

  private static List<String> versions(Section section) {
    int least = version(section, "min_version", 0);
    int most = version(section, "max_version", VERSIONS.size() - 1);
    if (least > most) {
      section.wrong("min_version", "above max_version; give a lower one");
      return List.of();
    }
    return VERSIONS.subList(least, most + 1).stream()
        .map(it -> it.replace("TLS1", "TLSv1."))
        .toList();
  }

  private static int version(Section section, String key, int otherwise) {
    Optional<String> word = section.text(key);
    int at = word.map(VERSIONS::indexOf).orElse(otherwise);
    if (at < 0) {
      section.wrong(key, word.orElse(""), "write one of " + String.join(", ", VERSIONS));
    }
    return Math.max(0, at);
  }

  /// Those of TLS 1.3 cannot be chosen, as in NVIDIA's dcgm-exporter.
  private static List<String> suites(Section section) {
    List<String> chosen = section.texts("cipher_suites");
    List<String> known = Tls.suites();
    chosen.stream()
        .filter(it -> !known.contains(it))
        .forEach(it -> section.wrong("cipher_suites", it, "no suite that this JDK has"));
    return chosen.isEmpty()
        ? List.of()
        : Stream.concat(
                known.stream().filter(it -> !it.contains("_WITH_")),
                chosen.stream().filter(it -> it.contains("_WITH_")))
            .toList();
  }

  private static List<String> curves(Section section) {
    List<String> chosen = section.texts("curve_preferences");
    chosen.stream()
        .filter(it -> !CURVES.containsKey(it))
        .forEach(it ->
            section.wrong(
                "curve_preferences",
                it,
                "write one of " + CURVES.keySet().stream().sorted().toList()));
    return chosen.stream().filter(CURVES::containsKey).map(CURVES::get).toList();
  }
}
