package dev.pitcrew.testbed.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/// What the agent of a node reports to Prometheus about its GPUs.
record AgentMetrics(LiveCluster cluster, String node) {
  private static final int PORT = 9400;
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /// The lines of a scrape; none if no agent answers.
  List<String> lines() {
    return cluster.pods().stream()
        .filter(pod -> pod.getMetadata().getName().startsWith("pitcrew-agent"))
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .flatMap(pod -> scrape(pod.getStatus().getPodIP()).lines())
        .toList();
  }

  private static String scrape(String address) {
    var request =
        HttpRequest.newBuilder(URI.create("http://%s:%d/metrics".formatted(address, PORT)))
            .timeout(LIMIT)
            .build();
    try (var client = HttpClient.newHttpClient()) {
      return client.send(request, BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
