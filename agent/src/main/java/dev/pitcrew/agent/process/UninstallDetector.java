package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.context.AgentContext;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Distinguishes the removal of Pitcrew from its nodes from the end of one pod that is replaced.
final class UninstallDetector {
  private static final Logger LOG = LoggerFactory.getLogger(UninstallDetector.class);
  private static final String DAEMON_SET = "pitcrew-agent";
  private static final String ABOUT = "daemonsets.apps/" + DAEMON_SET;

  /// The JVM has 25 s to end, and there is more to do in them. With those below, 11 s at most.
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  /// A DaemonSet that is replaced (`kubectl replace --force`) is back by then.
  private static final Duration APART = Duration.ofSeconds(1);

  private static final int LOOKS = 4;
  private static final int ENOUGH = 2;

  private UninstallDetector() {}

  /// What one answer says of the DaemonSet.
  private enum Sign {
    STAYS,
    GOES,
    /// The account or its rights are gone, or the server does not know them at present.
    DENIED,
    UNKNOWN
  }

  /// Whether the DaemonSet of the agents is gone or going, by two looks with a pause between them.
  /// Where that is not certain it is not: what stays behind without need does less harm than what
  /// goes while pods need it.
  ///
  /// The garbage collector takes the DaemonSet, its account, the account's rights and the
  /// operator's document away in any order, and the pods after them. So a refused account counts
  /// where the DaemonSet was seen to go before, or where the document was seen to go: a watch
  /// outlives the rights with which it was opened.
  ///
  /// @param isDocumentGone whether the agents' ConfigMap was seen to be deleted; asked at each look
  static boolean isUnderWay(
      ApiServer server, AgentContext.Identity identity, BooleanSupplier isDocumentGone)
      throws InterruptedException {
    return isUnderWay(server, identity, isDocumentGone, APART);
  }

  static boolean isUnderWay(
      ApiServer server,
      AgentContext.Identity identity,
      BooleanSupplier isDocumentGone,
      Duration apart)
      throws InterruptedException {
    if (!identity.isPod()) {
      return false;
    }
    var path = ObjectPath.of("apps/v1", "daemonsets", identity.namespace(), DAEMON_SET);
    int seen = 0;
    String last = "";
    for (int look = 0; look < LOOKS; look++) {
      if (look > 0) {
        Thread.sleep(apart);
      }
      Reply reply = server.get(path, DEADLINE);
      switch (sign(reply)) {
        case STAYS -> {
          return false;
        }
        case GOES -> seen++;
        case DENIED -> seen += seen > 0 || isDocumentGone.getAsBoolean() ? 1 : 0;
        case UNKNOWN -> {}
      }
      if (seen == ENOUGH) {
        return true;
      }
      last = words(reply);
    }
    LOG.atWarn()
        .log(
            "it is not known whether the DaemonSet {}/{} is gone ({}): the configuration of the container runtime stays; where no agent follows on this node, pitcrew runtime undo removes it",
            identity.namespace(),
            DAEMON_SET,
            last);
    return false;
  }

  private static Sign sign(Reply reply) {
    return switch (reply) {
      case Reply.Done(var object) ->
          object.at("/metadata").has("deletionTimestamp") ? Sign.GOES : Sign.STAYS;
      case Reply.Refused(int status, var reason, var about, _, _) ->
          switch (status) {
            // An API server that starts, or a proxy, answers 404 to all.
            case HttpURLConnection.HTTP_NOT_FOUND ->
                reason.equals("NotFound") && about.equals(ABOUT) ? Sign.GOES : Sign.UNKNOWN;
            case HttpURLConnection.HTTP_UNAUTHORIZED, HttpURLConnection.HTTP_FORBIDDEN ->
                Sign.DENIED;
            default -> Sign.UNKNOWN;
          };
      case Reply.Unanswered _ -> Sign.UNKNOWN;
    };
  }

  private static String words(Reply reply) {
    return switch (reply) {
      case Reply.Done _ -> "it is going";
      case Reply.Refused refused -> "%d %s".formatted(refused.status(), refused.message());
      case Reply.Unanswered(var reason) -> reason;
    };
  }
}
