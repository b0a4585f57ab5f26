package dev.pitcrew.operator.policy;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_ENTITY_TOO_LARGE;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Why an object is not in the cluster as wanted, in the API server's words, and what to do about
/// it.
public final class ApplyFailure {
  /// Reason and condition of what [#contested] says.
  public static final String CONTESTED = "FieldContested";

  private static final int TOO_MANY_REQUESTS = 429;
  private static final String WEBHOOKS =
      "`kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations`";
  private static final String READINESS = "`kubectl get --raw '/readyz?verbose'`";

  /// The port that the API server's own connection came from. It is another one each time, and the
  /// same failure would be reported each time.
  private static final Pattern PORT_OF_CALLER = Pattern.compile("(?<=[.\\]\\d]):\\d+(?=->)");

  private ApplyFailure() {}

  /// The API server does not take the object for what it says.
  public static Problem refused(String object, String said) {
    return new Problem("ObjectRefused", "the API server refused %s: %s".formatted(object, said));
  }

  /// The object could not be written for another reason.
  ///
  /// @param status of HTTP; none if it is not positive
  /// @param said by the API server, or by who tried to reach it
  public static Problem failed(String object, int status, String said) {
    String answer = status > 0 ? "HTTP " + status : "no answer";
    return new Problem(
        "ObjectNotApplied",
        "%s could not be applied: %s: %s; %s; it is tried again automatically"
            .formatted(object, answer, stable(said), remedy(object, status, said)));
  }

  /// Another writer keeps changing fields of an object that the operator sets.
  ///
  /// @param live the object after the last change; absent where it was deleted
  public static Problem contested(ObjectKey object, Optional<? extends HasMetadata> live) {
    return new Problem(
        CONTESTED,
        "%s is contested, and reapplied every 30 s at most: %s; stop that, or change what the policy says: `kubectl get %s -o yaml --show-managed-fields` shows who sets which field"
            .formatted(
                object,
                live.map(ApplyFailure::writers).orElse("it keeps being deleted"),
                onCommandLine(object.toString())));
  }

  private static String writers(HasMetadata live) {
    String others =
        live.getMetadata().getManagedFields().stream()
            .filter(entry -> entry.getSubresource() == null || entry.getSubresource().isEmpty())
            .map(ManagedFieldsEntry::getManager)
            .filter(name -> !name.equals(FieldManager.OPERATOR.name()))
            .distinct()
            .collect(Collectors.joining(" and "));
    return others.isEmpty()
        ? "another writes it under the same name %s, such as a second installation"
            .formatted(FieldManager.OPERATOR.name())
        : others + " writes fields that the operator sets";
  }

  /// The operator itself could not make the write.
  public static Problem broken(String object, Throwable cause) {
    return new Problem(
        "ObjectNotApplied",
        "%s could not be applied: %s; the operator's log has more; it is tried again automatically"
            .formatted(object, cause));
  }

  /// Something else that the operator does for a policy failed.
  ///
  /// @param what was done, and how it failed
  public static String later(String what) {
    return "%s; see that the API server answers, %s; it is tried again automatically"
        .formatted(stable(what), READINESS);
  }

  private static String stable(String said) {
    return PORT_OF_CALLER.matcher(said).replaceAll("");
  }

  private static String remedy(String object, int status, String said) {
    if (said.contains("failed calling webhook")) {
      return "start what serves the webhook, or delete its configuration: " + WEBHOOKS;
    }
    return switch (status) {
      case HTTP_NOT_FOUND ->
          "see that its namespace and its kind exist: `kubectl get namespaces`, `kubectl api-resources`";
      case HTTP_CONFLICT ->
          "see who else writes it: `kubectl get %s -o yaml --show-managed-fields`"
              .formatted(onCommandLine(object));
      case HTTP_ENTITY_TOO_LARGE ->
          "shorten the field of the ClusterPolicy or the NVIDIADriver that it is made of";
      case TOO_MANY_REQUESTS -> "see what loads the API server: " + READINESS;
      default ->
          "see that the API server answers, " + READINESS + ", and its webhooks, " + WEBHOOKS;
    };
  }

  /// `DaemonSet gpu-operator/driver` as kubectl takes it.
  private static String onCommandLine(String object) {
    int slash = object.indexOf('/');
    int space = object.indexOf(' ');
    return slash < 0
        ? object
        : "%s %s -n %s"
            .formatted(
                object.substring(0, space),
                object.substring(slash + 1),
                object.substring(space + 1, slash));
  }
}
