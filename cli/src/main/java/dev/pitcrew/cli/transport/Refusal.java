package dev.pitcrew.cli.transport;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Why the cluster gave no answer, from what kubectl printed.
///
/// @param message for people; of [Kind#FORBIDDEN] with who may not do what, and the remedy
public record Refusal(Kind kind, String message) {

  public enum Kind {
    /// Of a flag that kubectl was given, or of the kubeconfig.
    WRONG_INPUT,
    /// The API server does not answer.
    UNREACHABLE,
    /// It does not let the user do that, or does not know the user.
    FORBIDDEN,
    /// There is no such object, or no such kind.
    NOT_FOUND,
    /// A list changed so much while its pages were read that the next one cannot be had.
    EXPIRED,
    /// It answers with an error.
    FAILED,
    /// The user has ended kubectl.
    INTERRUPTED
  }

  private static final int SIGINT = 130;
  private static final int SIGKILL = 137;
  private static final int SIGTERM = 143;

  private static final String FROM_SERVER = "Error from server";

  /// What kubectl says where it has asked a question and no user can answer.
  private static final String PROMPTED = "EOF";

  /// Of flags and files of the user.
  private static final Pattern WRONG_INPUT =
      Pattern.compile(
          "does not exist|no such file|current-context must|invalid URL|unknown flag|invalid configuration|error loading config");

  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "User \"(?<user>[^\"]*)\" cannot (?<verb>\\w+) resource \"(?<resource>[^\"]*)\""
              + "(?: in API group \"(?<group>[^\"]*)\")?"
              + "(?: in the namespace \"(?<namespace>[^\"]*)\")?");

  /// What most commands read.
  private static final String VIEWED =
      "gpunodes.pitcrew.dev,fleetpolicies.pitcrew.dev,clusterpolicies.nvidia.com,gpuclusters.nvidia.com,nodes,pods,events,resourceclaims.resource.k8s.io";

  private static final Set<String> READ = Set.of("get", "list", "watch");

  private static final Pattern SERVICE_ACCOUNT =
      Pattern.compile("system:serviceaccount:([^:]+):([^:]+)");

  /// @param code with which kubectl ended
  /// @param limit how long it was given, in words
  static Refusal of(String errors, int code, String limit) {
    String text = errors.strip();
    if (code == SIGINT || code == SIGTERM) {
      return new Refusal(Kind.INTERRUPTED, "");
    }
    if (code == SIGKILL) {
      return new Refusal(
          Kind.UNREACHABLE,
          "kubectl gave no answer within %s; a slow link may need --request-timeout=60s"
              .formatted(limit));
    }
    if (text.contains(Kubectl.PROGRAM_FAILED)) {
      return new Refusal(Kind.FAILED, said(text));
    }
    if (text.contains("(Forbidden)")) {
      return new Refusal(Kind.FORBIDDEN, forbidden(text));
    }
    if (text.contains("(Unauthorized)") || text.contains("provide credentials")) {
      return new Refusal(
          Kind.FORBIDDEN,
          "the API server does not accept your credentials: log in again, or look at the user of the context with kubectl config view --minify");
    }
    if (text.contains("(Expired)") || text.contains("(Gone)")) {
      return new Refusal(Kind.EXPIRED, cause(text));
    }
    if (text.contains("(NotFound)")) {
      return new Refusal(Kind.NOT_FOUND, cause(text));
    }
    if (text.contains("(BadRequest)")) {
      return new Refusal(Kind.WRONG_INPUT, cause(text));
    }
    if (text.contains("Unable to connect") || text.contains("The connection to the server")) {
      return new Refusal(Kind.UNREACHABLE, cause(text) + slow(text));
    }
    if (text.endsWith(PROMPTED)) {
      return new Refusal(
          Kind.WRONG_INPUT,
          "the kubeconfig has no user for this server, so kubectl asks for a user name: choose a context with --context, or a file with --kubeconfig");
    }
    if (text.contains(FROM_SERVER)) {
      return new Refusal(Kind.FAILED, cause(text));
    }
    return new Refusal(
        WRONG_INPUT.matcher(text).find() ? Kind.WRONG_INPUT : Kind.UNREACHABLE, cause(text));
  }

  private static String forbidden(String text) {
    Matcher matcher = FORBIDDEN.matcher(text);
    if (!matcher.find()) {
      return cause(text);
    }
    String group = matcher.group("group");
    String resource =
        matcher.group("resource") + (group == null || group.isEmpty() ? "" : "." + group);
    String namespace = matcher.group("namespace");
    String user = matcher.group("user");
    String verb = matcher.group("verb");
    boolean isRead = READ.contains(verb);
    boolean isViewed = isRead && List.of(VIEWED.split(",", -1)).contains(resource);
    String verbs = isViewed ? "get,list" : verb.equals("patch") ? "get,patch" : verb;
    String role =
        isViewed
            ? "gpu-viewer"
            : (isRead ? "gpu-viewer-" : "gpu-" + verb + "-") + resource.replaceAll("[^a-z]", "-");
    boolean isOfNamespace = namespace != null && !isViewed;
    String kind = isOfNamespace ? "role" : "clusterrole";
    String place = isOfNamespace ? " -n " + namespace : "";
    return "%s may not %s %s%s: an administrator allows it with kubectl create %s %s%s --verb=%s --resource=%s and kubectl create %sbinding %s%s --%s=%s %s"
        .formatted(
            user,
            verb,
            resource,
            namespace == null ? "" : " in namespace " + namespace,
            kind,
            role,
            place,
            verbs,
            isViewed ? VIEWED : resource,
            kind,
            role,
            place,
            kind,
            role,
            subject(user));
  }

  private static String subject(String user) {
    Matcher account = SERVICE_ACCOUNT.matcher(user);
    return account.matches()
        ? "--serviceaccount=%s:%s".formatted(account.group(1), account.group(2))
        : "--user=" + user;
  }

  private static String slow(String text) {
    return text.contains("Timeout") || text.contains("deadline")
        ? "; a slow link may need --request-timeout=60s"
        : "";
  }

  /// The words of a program in a container, without kubectl's own.
  private static String said(String text) {
    String words =
        text.lines()
            .filter(line ->
                !line.contains(Kubectl.PROGRAM_FAILED) && !line.startsWith("Defaulted container"))
            .collect(Collectors.joining(" "))
            .strip();
    return words.isEmpty() ? cause(text) : words;
  }

  /// The last line is the answer; those before it are warnings.
  private static String cause(String text) {
    String last = text.lines().reduce("kubectl ended without a message", (_, line) -> line);
    return last.replaceFirst("^(error|Error from server \\(\\w+\\)): ", "");
  }
}
