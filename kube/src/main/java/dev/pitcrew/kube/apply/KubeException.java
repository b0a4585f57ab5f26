package dev.pitcrew.kube.apply;

import dev.pitcrew.kube.ObjectKey;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/// A call to the API server failed. The message names the verb, the object, the HTTP status and
/// what the API server said.
public final class KubeException extends RuntimeException {

  /// [#status] when there was no answer at all.
  public static final int NO_ANSWER = -1;

  private final int status;
  private final String reason;

  private KubeException(String message, int status, String reason, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.reason = reason;
  }

  /// The HTTP status, or [#NO_ANSWER].
  public int status() {
    return status;
  }

  /// What the API server said, without our own words.
  public String reason() {
    return reason;
  }

  static KubeException of(Verb verb, ObjectKey object, KubernetesClientException cause) {
    if (cause.getCode() <= 0) {
      return unanswered(verb, object, cause);
    }
    String reason = said(cause);
    String message =
        "%s of %s: HTTP %d: %s".formatted(verb.text(), object, cause.getCode(), reason);
    return new KubeException(message, cause.getCode(), reason, cause);
  }

  static KubeException notSent(Verb verb, ObjectKey object) {
    String reason = "not sent: this process does not hold the lease";
    return new KubeException(
        "%s of %s: %s".formatted(verb.text(), object, reason), NO_ANSWER, reason, null);
  }

  static KubeException unanswered(Verb verb, ObjectKey object, Exception cause) {
    String reason = rootOf(cause).toString();
    return new KubeException(
        "%s of %s: no answer: %s".formatted(verb.text(), object, reason), NO_ANSWER, reason, cause);
  }

  private static String said(KubernetesClientException cause) {
    boolean hasStatus = cause.getStatus() != null && cause.getStatus().getMessage() != null;
    return hasStatus ? cause.getStatus().getMessage() : String.valueOf(cause.getMessage());
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
