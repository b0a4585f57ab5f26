package dev.pitcrew.agent.realnode;

import dev.pitcrew.api.node.DriverRelease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What an agent reports to others on its node: status files, the word that the driver is released,
/// and the metrics of the node.
final class NodePromises implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int PORT = 8000;
  private static final List<String> OPERANDS =
      List.of("container-toolkit", "operator-validator", "node-status-exporter");

  /// The status files of a node on which all is well.
  static final Set<String> ALL =
      Set.of("cuda-ready", "driver-ready", "plugin-ready", "toolkit-ready");

  private final GpuNode node;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  NodePromises(GpuNode node) {
    this.node = node;
  }

  /// Has an agent promise all of it, on a host whose runtime has a handler.
  void ask(AgentOnNode agent) {
    node.gpus()
        .faults()
        .file(
            "/etc/containerd/config.toml",
            "[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.nvidia]\n");
    OPERANDS.forEach(operand -> agent.deploy(operand, true));
  }

  void askNoMore(AgentOnNode agent) {
    OPERANDS.forEach(operand -> agent.deploy(operand, false));
  }

  /// The status files that claim that something is ready.
  Set<String> ready() {
    return files().stream()
        .filter(name -> name.endsWith("-ready") && !name.startsWith("."))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Drafts that were left behind.
  Set<String> drafts() {
    return files().stream()
        .filter(name -> name.endsWith(".draft"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  boolean isDriverReleased() {
    return files().contains(DriverRelease.FILE);
  }

  /// Takes the status files away.
  void forget() {
    for (String name : ready()) {
      try {
        Files.delete(folder().resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException("delete " + name, e);
      }
    }
  }

  /// The value of a metric; empty where it is not served.
  Optional<String> metric(String name) {
    var request =
        HttpRequest.newBuilder(
                URI.create("http://%s:%d/metrics".formatted(node.node().address(), PORT)))
            .timeout(TIMEOUT)
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .findFirst();
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Set<String> files() {
    String[] names = folder().toFile().list();
    return names == null ? Set.of() : Set.of(names);
  }

  private Path folder() {
    return node.node().path(DriverRelease.FOLDER);
  }

  @Override
  public void close() {
    http.close();
  }
}
