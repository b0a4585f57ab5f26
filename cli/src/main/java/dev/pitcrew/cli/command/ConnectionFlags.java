package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.core.text.GoText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// How to reach the cluster: kubectl's own flags, which it is given as they are.
final class ConnectionFlags {
  /// How much longer kubectl itself may take, for the program that brings its credentials.
  private static final Duration MARGIN = Duration.ofSeconds(1);

  private static final String DEFAULT_TIMEOUT = "4s";

  @Option(
      names = "--kubeconfig",
      paramLabel = "<file>",
      defaultValue = "",
      description = "Kubeconfig to use (default: kubectl's own).")
  String kubeconfig = "";

  @Option(
      names = "--context",
      paramLabel = "<name>",
      defaultValue = "",
      description = "Context of the kubeconfig (default: the current one).")
  String context = "";

  @Option(
      names = {"-s", "--server"},
      paramLabel = "<address>",
      defaultValue = "",
      description = "Address of the API server (default: that of the context).")
  String server = "";

  @Option(
      names = "--as",
      paramLabel = "<user>",
      defaultValue = "",
      description = "User to impersonate.")
  String user = "";

  @Option(
      names = "--request-timeout",
      paramLabel = "<duration>",
      defaultValue = DEFAULT_TIMEOUT,
      converter = GoDuration.class,
      description =
          "How long one answer of the API server may take, 0 for any time (default: ${DEFAULT-VALUE}).")
  Duration timeout = Duration.ZERO;

  ClusterReading cluster(Session session) {
    return cluster(session, timeout);
  }

  /// @param least how long an answer may take at least, where many are asked for at once
  ClusterReading cluster(Session session, Duration least) {
    return new ClusterReading(
        kubectl(session, least), () -> session.err().println("waiting for the API server …"));
  }

  /// @param least how long an answer may take at least, for those that are large
  Kubectl kubectl(Session session, Duration least) {
    Duration limit = timeout.isZero() || timeout.compareTo(least) > 0 ? timeout : least;
    return limited(session, limit);
  }

  /// For watches, whose answer has no end.
  Kubectl unlimited(Session session) {
    return limited(session, Duration.ZERO);
  }

  private Kubectl limited(Session session, Duration limit) {
    return new Kubectl(
        session.environment().getOrDefault("KUBECTL", "kubectl"),
        flags(limit),
        limit.isZero() ? Optional.empty() : Optional.of(limit.plus(MARGIN)));
  }

  /// Of the API server, for messages; empty where it is not known.
  String address(Session session) {
    return server.isEmpty() ? cluster(session).server() : server;
  }

  private List<String> flags(Duration limit) {
    var flags = new ArrayList<String>();
    add(flags, "kubeconfig", kubeconfig);
    add(flags, "context", context);
    add(flags, "server", server);
    add(flags, "as", user);
    add(flags, "request-timeout", limit.toMillis() + "ms");
    return flags;
  }

  private static void add(List<String> flags, String name, String value) {
    if (!value.isEmpty()) {
      flags.add("--" + name + "=" + value);
    }
  }

  /// Durations as kubectl takes them, such as `15s` or `1m30s`.
  static final class GoDuration implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return GoText.duration(text)
          .filter(duration -> !duration.isNegative())
          .orElseThrow(() ->
              new TypeConversionException(
                  "'%s' is no duration; give a number with its unit, such as 15s or 1m30s"
                      .formatted(text)));
    }
  }
}
