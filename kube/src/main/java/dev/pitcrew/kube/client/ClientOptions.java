package dev.pitcrew.kube.client;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Where the API server is and how long one request to it may take.
///
/// @param kubeconfig null looks for it as kubectl does: `$KUBECONFIG`, `~/.kube/config`, then the
///   pod's service account
/// @param requestTimeout until the answer begins; a request that fails with 429, a server error or
///   a broken connection is sent again
public record ClientOptions(@Nullable Path kubeconfig, Duration requestTimeout) {

  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

  public static ClientOptions automatic() {
    return new ClientOptions(null, REQUEST_TIMEOUT);
  }

  public static ClientOptions from(Path kubeconfig) {
    return new ClientOptions(kubeconfig, REQUEST_TIMEOUT);
  }
}
