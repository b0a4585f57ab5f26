package dev.pitcrew.operator.runtime.cleanup;

import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.command.CleanupOptions;
import dev.pitcrew.operator.command.CleanupProgram;
import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.operator.command.CrdProgram;
import dev.pitcrew.operator.command.PitcrewCommand;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/// The sub-command `cleanup`: says what it does on the given writer and returns an exit code. What
/// is not there is no error, so it can be repeated.
public final class Cleanup implements CleanupProgram {
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
      var resources =
          new CustomResources(client, Deadline.after(options.timeout()), output::println);
      List<String> left = deleteAll(resources, options.namespace());
      left.addAll(new LabelledNodes(client).takeBack());
      return report(left, options);
    } catch (KubernetesClientException | KubeException failure) {
      errors.println("cleaning up failed: " + failure.getMessage());
      return PitcrewCommand.FAILED;
    }
  }

  /// Names what is left.
  private static List<String> deleteAll(CustomResources resources, String namespace) {
    Set<String> owners = new HashSet<>();
    CustomResourceKind.POLICIES.forEach(kind -> owners.addAll(resources.delete(kind)));
    List<String> left = new ArrayList<>();
    CustomResourceKind.POLICIES.forEach(kind -> left.addAll(resources.awaitGone(kind)));
    left.addAll(resources.awaitDaemonSetsGone(namespace, owners));
    resources.awaitAgentsGone(namespace);
    resources.delete(CustomResourceKind.GPU_NODE);
    left.addAll(resources.awaitGone(CustomResourceKind.GPU_NODE));
    return left;
  }

  private int report(List<String> left, CleanupOptions options) {
    if (left.isEmpty()) {
      output.println("clean");
      return 0;
    }
    errors.println(
        "still there after %d s: %s; a finalizer may hold it, see its metadata.finalizers"
            .formatted(options.timeout().toSeconds(), String.join(", ", left)));
    return PitcrewCommand.FAILED;
  }
}
