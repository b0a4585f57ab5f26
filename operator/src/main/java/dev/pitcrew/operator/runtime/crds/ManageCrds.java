package dev.pitcrew.operator.runtime.crds;

import dev.pitcrew.operator.command.CrdOptions;
import dev.pitcrew.operator.command.CrdProgram;
import dev.pitcrew.operator.command.PitcrewCommand;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// The sub-command `manage-crds`: says what it does on the given writer and returns an exit code.
public final class ManageCrds implements CrdProgram {
  private static final Duration SERVED_WITHIN = Duration.ofSeconds(10);

  private final Function<String, KubernetesClient> clients;
  private final Supplier<List<String>> packaged;
  private final PrintWriter output;
  private final PrintWriter errors;

  /// @param clients opens a client for a kubeconfig, which may be empty
  /// @param packaged YAML of the definitions that come with the program
  public ManageCrds(
      Function<String, KubernetesClient> clients,
      Supplier<List<String>> packaged,
      PrintWriter output,
      PrintWriter errors) {
    this.clients = clients;
    this.packaged = packaged;
    this.output = output;
    this.errors = errors;
  }

  @Override
  public int apply(CrdOptions options) {
    return run(
        options,
        (client, definitions) -> {
          new CrdInstaller(client, output::println).apply(definitions, SERVED_WITHIN);
          options.fleetPolicy().ifPresent(new ChartFleetPolicy(client, output::println)::apply);
        });
  }

  @Override
  public int delete(CrdOptions options) {
    return run(
        options,
        (client, definitions) -> new CrdInstaller(client, output::println).delete(definitions));
  }

  private int run(CrdOptions options, BiConsumer<KubernetesClient, List<CrdDocument>> action) {
    try (KubernetesClient client = clients.apply(options.kubeconfig())) {
      List<CrdDocument> definitions =
          definitions(options, new CrdFiles(client.getKubernetesSerialization()));
      if (definitions.isEmpty()) {
        throw new CrdException("no custom resource definition in " + options.files());
      }
      action.accept(client, definitions);
      return 0;
    } catch (CrdException | KubernetesClientException failure) {
      errors.println(failure.getMessage());
      if (options.debug()) {
        failure.printStackTrace(errors);
      }
      return PitcrewCommand.FAILED;
    }
  }

  private List<CrdDocument> definitions(CrdOptions options, CrdFiles files) {
    return options.files().isEmpty()
        ? packaged.get().stream().flatMap(yaml -> files.parse(yaml, "the program")).toList()
        : files.read(options.files());
  }
}
