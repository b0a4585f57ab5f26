package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.FieldManager;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.command.CleanupOptions;
import dev.pitcrew.operator.command.CleanupProgram;
import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.operator.command.CrdProgram;
import dev.pitcrew.operator.command.PitcrewCommand;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The sub-command `cleanup`: says what it does on the given writer and returns an exit code. What
/// is not there is no error, so it can be repeated.
public final class Cleanup implements CleanupProgram {
  /// The part of the timeout that nodes have after it, where the resources have used all of it: the
  /// chart's Job gives that much more.
  private static final int NODES_SHARE = 5;

  /// Nodes that a message names.
  private static final int NAMED = 20;

  private final Function<String, KubernetesClient> clients;
  private final CrdProgram definitions;
  private final PrintWriter output;
  private final PrintWriter errors;

  /// @param clients opens a client for a kubeconfig, which may be empty
  /// @param definitions deletes the definitions, if that is asked for
  public Cleanup(
      Function<String, KubernetesClient> clients,
      CrdProgram definitions,
      PrintWriter output,
      PrintWriter errors) {
    this.clients = clients;
    this.definitions = definitions;
    this.output = output;
    this.errors = errors;
  }

  @Override
  public int run(CleanupOptions options) {
    int exitCode = deleteResources(options);
    return exitCode == 0 && options.deleteDefinitions()
        ? definitions.delete(new CrdOptions(List.of(), options.kubeconfig(), false))
        : exitCode;
  }

  private int deleteResources(CleanupOptions options) {
    try (KubernetesClient client = clients.apply(options.kubeconfig())) {
      var applier = new Applier(client, FieldManager.OPERATOR);
      var deadline = Deadline.after(options.timeout());
      var resources = new CustomResources(client, applier, deadline, output::println);
      List<String> left = deleteAll(resources, options.namespace());
      List<String> nodes =
          new NodeCleanup(
                  client,
                  applier,
                  deadline.atLeast(options.timeout().dividedBy(NODES_SHARE)),
                  output::println)
              .run();
      return report(left, nodes, options.timeout());
    } catch (KubernetesClientException | KubeException failure) {
      errors.println("cleaning up failed: " + failure.getMessage());
      return PitcrewCommand.FAILED;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      errors.println("cleaning up was interrupted");
      return PitcrewCommand.FAILED;
    }
  }

  /// Names what is left.
  private static List<String> deleteAll(CustomResources resources, String namespace) {
    Set<String> owners = new HashSet<>();
    CustomResourceKind.POLICIES.forEach(kind -> owners.addAll(resources.delete(kind)));
    List<String> left = new ArrayList<>();
    CustomResourceKind.POLICIES.forEach(kind -> left.addAll(resources.awaitGone(kind)));
    owners.addAll(resources.releaseDaemonSets(namespace, left));
    left.addAll(resources.awaitDaemonSetsGone(namespace, owners));
    resources.deleteOrphanedDrivers(namespace, left);
    resources.awaitAgentsGone(namespace);
    resources.delete(CustomResourceKind.GPU_NODE);
    left.addAll(resources.awaitGone(CustomResourceKind.GPU_NODE));
    return left;
  }

  private int report(List<String> resources, List<String> nodes, Duration timeout) {
    if (!resources.isEmpty()) {
      errors.println(
          "still there after %d s: %s; a finalizer may hold it, see its metadata.finalizers"
              .formatted(timeout.toSeconds(), String.join(", ", resources)));
    }
    if (!nodes.isEmpty()) {
      errors.println(
          "labels, taints or a cordon are left on %s%s; run this again"
              .formatted(
                  nodes.stream().limit(NAMED).collect(Collectors.joining(", ")),
                  nodes.size() > NAMED
                      ? " and %d more nodes".formatted(nodes.size() - NAMED)
                      : ""));
    }
    if (!resources.isEmpty() || !nodes.isEmpty()) {
      return PitcrewCommand.FAILED;
    }
    output.println("clean");
    return 0;
  }
}
