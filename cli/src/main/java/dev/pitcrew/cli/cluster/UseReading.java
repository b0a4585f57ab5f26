package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Reads the metrics of agents through the API server, several nodes at a time.
public final class UseReading {
  private static final int THREADS = 8;

  /// A node of 16 GPUs that 50 pods share each has 6 MiB where each pod has its own series.
  private static final long MOST_BYTES = 16 << 20;

  private static final String AGENTS = "/api/v1/pods?labelSelector=app%3Dpitcrew-agent";

  private final Kubectl kubectl;
  private final int port;

  private record Agent(String namespace, String name, boolean runs, boolean isReady) {
    static Agent of(Json pod) {
      return new Agent(
          pod.at("metadata", "namespace").text(),
          pod.at("metadata", "name").text(),
          pod.at("status", "phase").text().equals("Running"),
          Condition.find(Condition.all(pod.at("status", "conditions")), "Ready")
              .filter(Condition::isTrue)
              .isPresent());
    }
  }

  /// @param port on which agents serve metrics
  public UseReading(Kubectl kubectl, int port) {
    this.kubectl = kubectl;
    this.port = port;
  }

  /// Of each of the nodes, in their order; one that does not answer has no GPUs and a problem.
  ///
  /// @throws RefusedException where the user may not read metrics of pods
  public List<NodeUse> of(Collection<String> nodes) throws InterruptedException {
    Map<String, Agent> agents = agents(nodes);
    ExecutorService threads =
        Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());
    try {
      var begun = new ArrayList<Future<NodeUse>>();
      for (String node : nodes) {
        begun.add(threads.submit(() -> read(node, agents)));
      }
      var all = new ArrayList<NodeUse>();
      for (Future<NodeUse> one : begun) {
        all.add(one.get());
      }
      return all;
    } catch (ExecutionException failed) {
      throw Objects.requireNonNullElse(failed.getCause(), failed) instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(failed);
    } finally {
      threads.shutdownNow();
    }
  }

  /// By node; of two on one node, as while a DaemonSet replaces one, the one that is ready.
  private Map<String, Agent> agents(Collection<String> nodes) {
    var agents = new HashMap<String, Agent>();
    String path =
        nodes.size() == 1
            ? AGENTS + "&fieldSelector=spec.nodeName%3D" + nodes.iterator().next()
            : AGENTS;
    kubectl.list(
        path,
        pod ->
            agents.merge(
                pod.at("spec", "nodeName").text(),
                Agent.of(pod),
                (one, other) -> one.isReady() ? one : other),
        agents::clear);
    return agents;
  }

  private NodeUse read(String node, Map<String, Agent> agents) {
    Agent agent = agents.get(node);
    if (agent == null) {
      return NodeUse.unknown(node, "no agent runs there");
    }
    if (!agent.runs()) {
      return NodeUse.unknown(
          node, "pod %s/%s of the agent does not run".formatted(agent.namespace(), agent.name()));
    }
    var page = new AgentPage();
    try {
      kubectl.lines(
          "/api/v1/namespaces/%s/pods/%s:%d/proxy/metrics"
              .formatted(agent.namespace(), agent.name(), port),
          MOST_BYTES,
          page::line);
      return NodeUse.of(node, page);
    } catch (RefusedException refused) {
      return switch (refused.kind()) {
        case INTERRUPTED, WRONG_INPUT -> throw refused;
        case FORBIDDEN -> {
          if (refused.text().contains("pods/proxy")) {
            throw refused;
          }
          // The API server has accepted the same user a moment ago.
          yield NodeUse.unknown(
              node, "no answer: the agent's metrics need a user or a certificate of their own");
        }
        case UNREACHABLE -> NodeUse.unknown(node, "no answer within the time of --request-timeout");
        case NOT_FOUND, EXPIRED, FAILED -> NodeUse.unknown(node, "no answer: " + refused.text());
      };
    }
  }
}
