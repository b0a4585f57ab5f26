package dev.pitcrew.kube.client;

import io.fabric8.kubernetes.client.Client;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Makes clients of the API server.
public final class Clients {

  private static final String USER_AGENT = "pitcrew";
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

  /// 0.2 + 0.4 + 0.8 seconds; a longer outage, or what Retry-After asks for beyond that, is for the
  /// caller's own back-off.
  private static final int RETRIES = 3;

  private static final int FIRST_RETRY_MILLIS = 200;

  private Clients() {}

  /// A client that sends a request again after 429, 5xx and broken connections, a few times.
  ///
  /// It speaks HTTP/1.1: the JDK's HTTP/2 has no keep-alive ping, so that one connection that died
  /// without a word would swallow every later request, whereas with HTTP/1.1 the request that times
  /// out closes its connection.
  ///
  /// @throws io.fabric8.kubernetes.client.KubernetesClientException when the kubeconfig cannot be
  ///   read
  public static KubernetesClient create(ClientOptions options) {
    Config config = locate(options.kubeconfig());
    config.setUserAgent(USER_AGENT);
    config.setHttp2Disable(true);
    config.setConnectionTimeout(CONNECT_TIMEOUT_MILLIS);
    config.setRequestTimeout(Math.toIntExact(options.requestTimeout().toMillis()));
    config.setRequestRetryBackoffLimit(RETRIES);
    config.setRequestRetryBackoffInterval(FIRST_RETRY_MILLIS);
    config.setWatchReconnectLimit(
        0); // dev.pitcrew.kube.cache resumes watches itself, and knows when one has gone silent
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(KubernetesJson.SERIALIZATION)
        .build();
  }

  /// The same client without retries: for requests whose refusal is an answer, such as 429 to an
  /// eviction, and for those that are not worth more load on an overloaded server, such as Events.
  /// It is closed with the other one.
  public static Client withoutRetries(KubernetesClient client) {
    return client.newClient(
        new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
            .withRequestRetryBackoffLimit(0)
            .build());
  }

  private static Config locate(@Nullable Path kubeconfig) {
    return kubeconfig == null
        ? Config.autoConfigure(null)
        : Config.fromKubeconfig(kubeconfig.toFile());
  }
}
