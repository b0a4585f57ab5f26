package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Set;

/// Tells the end of Pitcrew on its nodes from the end of one pod, which makes room for the next.
final class Departure {
  private static final String DAEMON_SET = "pitcrew-agent";

  /// The pod has 30 s to end, and there is more to do in them.
  private static final Duration DEADLINE = Duration.ofSeconds(3);

  /// The garbage collector takes the DaemonSet, its account and the account's rights away in any
  /// order. No other event takes the account of an agent that runs.
  private static final Set<Integer> GONE =
      Set.of(
          HttpURLConnection.HTTP_NOT_FOUND,
          HttpURLConnection.HTTP_UNAUTHORIZED,
          HttpURLConnection.HTTP_FORBIDDEN);

  private Departure() {}

  /// Whether the DaemonSet of the agents is gone or going. Where nobody answers it is not: what
  /// stays behind without need does less harm than what goes while pods need it.
  static boolean isUnderWay(ApiServer server, AgentPlace.Identity identity) {
    if (!identity.isPod()) {
      return false;
    }
    var daemonSet = ObjectPath.of("apps/v1", "daemonsets", identity.namespace(), DAEMON_SET);
    return switch (server.get(daemonSet, DEADLINE)) {
      case Reply.Done(var object) -> object.at("/metadata").has("deletionTimestamp");
      case Reply.Refused(int status, _, _, _) -> GONE.contains(status);
      case Reply.Unanswered _ -> false;
    };
  }
}
