package dev.pitcrew.testbed.trouble;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;

/// A request whose body never ends: while the API server waits for the rest of it, it takes up a
/// seat of its priority level.
///
/// @param user a client of the same user
/// @param connection carries the request
record Occupant(KubernetesClient user, Socket connection) implements AutoCloseable {
  static final String USER = "occupant";

  private static final int TOO_MANY_REQUESTS = 429;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration UNTIL_SEATED = Duration.ofSeconds(3);
  private static final Duration RETRY = Duration.ofMillis(50);

  /// What every user may ask.
  private static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

  private static final String QUESTION =
      """
      {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
       "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
      """;

  /// Returns when the seat is taken. A request that came before the API server followed the new
  /// level has taken a seat of another one: the next request gets the right one.
  static Occupant enter(ControlPlane controlPlane) {
    var config = Config.fromKubeconfig(controlPlane.kubeconfigForUser(USER).toFile());
    config.setRequestRetryBackoffLimit(0);
    var user = new KubernetesClientBuilder().withConfig(config).build();
    var deadline = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < deadline) {
      var occupant = new Occupant(user, ask(config));
      if (occupant.hasSeat()) {
        return occupant;
      }
      occupant.hangUp();
    }
    user.close();
    throw new TestbedException(
        "the API server refuses no request " + LIMIT.toSeconds() + " s after its seat was taken");
  }

  /// Sends all of a request but the end of its body.
  private static Socket ask(Config config) {
    var server = URI.create(config.getMasterUrl());
    var request =
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{"
            .formatted(PATH, server.getAuthority(), QUESTION.length());
    try {
      var connection =
          SSLUtils.sslContext(config)
              .getSocketFactory()
              .createSocket(server.getHost(), server.getPort());
      connection.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return connection;
    } catch (IOException | GeneralSecurityException e) {
      throw new TestbedException("occupy a seat of " + server, e);
    }
  }

  /// Gives the seat up.
  @Override
  public void close() {
    user.close();
    hangUp();
  }

  private void hangUp() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new TestbedException("close the occupant's connection", e);
    }
  }

  /// Whether a second request is refused, once the first is on its way.
  private boolean hasSeat() {
    var deadline = System.nanoTime() + UNTIL_SEATED.toNanos();
    while (System.nanoTime() < deadline) {
      if (isRefused()) {
        return true;
      }
      pause();
    }
    return false;
  }

  private boolean isRefused() {
    try {
      user.raw(PATH, "POST", QUESTION);
      return false;
    } catch (KubernetesClientException e) {
      if (e.getCode() != TOO_MANY_REQUESTS) {
        throw e;
      }
      return true;
    }
  }

  /// Between two looks at whether the API server follows a new object.
  static void pause() {
    try {
      Thread.sleep(RETRY);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the API server was awaited", e);
    }
  }
}
