package dev.pitcrew.cli.diag;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.diag.Bundle.Piece;
import dev.pitcrew.cli.plan.FleetStatus;
import dev.pitcrew.cli.plan.Holdings;
import dev.pitcrew.cli.plan.NodeRow;
import dev.pitcrew.cli.print.NodesPrint;
import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.StatusPrint;
import dev.pitcrew.cli.print.Terminal;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Collects a bundle.
public final class Diagnosis {
  private static final String NAMESPACE = "gpu-operator";
  private static final String OPERATOR_PODS = "/api/v1/pods?labelSelector=app%3Dgpu-operator";

  /// What to collect, and where to.
  ///
  /// @param replaces whether a file of that name may be replaced
  /// @param most bytes of all files, before they are compressed
  /// @param nodes names; empty for a choice
  /// @param namespace of the operator; empty where it is to be found
  /// @param since how long ago the oldest Events and lines of logs may be; empty for any time
  /// @param asksAgents whether commands are run in the pods of agents
  public record Order(
      Path target,
      boolean replaces,
      long most,
      List<String> nodes,
      String namespace,
      Optional<Duration> since,
      boolean asksAgents) {}

  /// @param nodes of which there are details
  /// @param problems how much could not be read
  /// @param redacted how many values were replaced
  public record Result(int files, int nodes, int problems, int leftOut, int redacted) {}

  /// How the cluster is reached.
  ///
  /// @param lists for requests that the API server answers
  /// @param nodes for those that a node answers
  public record Connection(ClusterReading cluster, Kubectl lists, Kubectl nodes) {}

  private final Connection connection;
  private final Order order;
  private final Bundle bundle;
  private final Instant now;

  private Diagnosis(Connection connection, Order order, Bundle bundle, Instant now) {
    this.connection = connection;
    this.order = order;
    this.bundle = bundle;
    this.now = now;
  }

  /// @param version of this plugin
  /// @throws RefusedException where the cluster cannot be reached, or a node is not there
  /// @throws IOException where the file cannot be written
  public static Result run(
      Connection connection, Order order, Progress progress, String version, Instant now)
      throws IOException, InterruptedException {
    String kubernetes = connection.cluster().kubernetesVersion();
    for (String node : order.nodes()) {
      requireNode(connection.lists(), node);
    }
    var archive = new Archive(order.target(), order.replaces());
    Thread atTheEnd = Thread.ofPlatform().unstarted(archive::close);
    Runtime.getRuntime().addShutdownHook(atTheEnd);
    try (archive) {
      var bundle = new Bundle(archive, order.most());
      return new Diagnosis(connection, order, bundle, now).collect(progress, version, kubernetes);
    }
  }

  /// A node on which no agent has reported yet has no GPUNode, but a Node.
  private static void requireNode(Kubectl kubectl, String node) {
    try {
      kubectl.get("/api/v1/nodes/" + node);
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.NOT_FOUND) {
        throw refused;
      }
    }
  }

  private Result collect(Progress progress, String version, String kubernetes)
      throws IOException, InterruptedException {
    var cluster = connection.cluster();
    Supplier<List<GpuNode>> gpuNodeReading = cluster.gpuNodes();
    Supplier<List<Policy>> policyReading = cluster.policies();
    Supplier<Optional<List<KubeNode>>> nodeReading = cluster.nodes();
    Supplier<Optional<List<Pod>>> podReading = cluster.holders();
    Optional<List<GpuNode>> gpuNodes = read("GPUNodes", gpuNodeReading);
    Optional<List<Policy>> policies = read("ClusterPolicies", policyReading);
    Optional<List<KubeNode>> nodes = read("Nodes", nodeReading).flatMap(it -> it);
    Optional<Holdings> held = read("pods", podReading).flatMap(it -> it).map(Holdings::new);
    String namespace = namespace();

    var selection = Selection.of(gpuNodes.orElse(List.of()), order.nodes());
    selection.leftOut().forEach(bundle::leftOut);
    var facts = new LinkedHashMap<String, String>();
    facts.put("collected", now.truncatedTo(ChronoUnit.SECONDS).toString());
    facts.put("kubectl gpu", version);
    facts.put("Kubernetes", kubernetes);
    facts.put("namespace", namespace);
    bundle.add(Piece.text("versions.txt", versions(facts)));
    String status = "";
    if (gpuNodes.isPresent() && policies.isPresent()) {
      FleetStatus fleet = FleetStatus.of(policies.get(), gpuNodes.get(), held);
      status = printed(it -> StatusPrint.print(it, fleet, true));
      bundle.add(Piece.text("status.txt", status));
    }
    List<NodeRow> rows = NodeRow.of(gpuNodes.orElse(List.of()), nodes, held);
    bundle.add(Piece.text("nodes.txt", printed(it -> NodesPrint.print(it, rows, true, now))));
    new Collector(connection.lists(), connection.nodes(), bundle, progress, order.since(), now)
        .collect(selection, namespace, order.asksAgents());
    String page = status;
    List<NodeRow> notReady =
        rows.stream()
            .filter(it -> !it.ready())
            .filter(it -> order.nodes().isEmpty() || order.nodes().contains(it.name()))
            .toList();
    String title = String.valueOf(order.target().getFileName());
    bundle.complete((contents, redactor) ->
        Page.of(new Page.Facts(title, facts, page, notReady), contents, redactor));
    Bundle.Contents contents = bundle.contents();
    return new Result(
        contents.entries().size(),
        selection.nodes().size(),
        contents.problems().size(),
        contents.leftOut().size(),
        contents.redactions().total());
  }

  private <T> Optional<T> read(String what, Supplier<T> reading) {
    try {
      return Optional.of(reading.get());
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.INTERRUPTED) {
        throw refused;
      }
      bundle.problem(what, refused.text());
      return Optional.empty();
    }
  }

  /// Where the operator's pods are.
  private String namespace() {
    if (!order.namespace().isEmpty()) {
      return order.namespace();
    }
    var namespaces = new TreeSet<String>();
    read(
        "the operator's namespace",
        () -> {
          connection
              .lists()
              .list(
                  OPERATOR_PODS,
                  pod -> namespaces.add(pod.at("metadata", "namespace").text()),
                  namespaces::clear);
          return true;
        });
    var found = new ArrayList<>(namespaces);
    if (found.size() > 1) {
      bundle.leftOut(
          "the operators of the namespaces %s: --namespace chooses one"
              .formatted(String.join(", ", found.subList(1, found.size()))));
    }
    return found.isEmpty() ? NAMESPACE : found.getFirst();
  }

  private static String versions(Map<String, String> facts) {
    var text = new StringBuilder();
    facts.forEach((name, value) -> text.append("%-12s %s%n".formatted(name, value)));
    return text.toString();
  }

  private static String printed(Consumer<Screen> print) {
    var bytes = new ByteArrayOutputStream();
    print.accept(
        new Screen(
            new PrintStream(bytes, true, UTF_8), new Terminal(false, Integer.MAX_VALUE, true)));
    return bytes.toString(UTF_8);
  }
}
