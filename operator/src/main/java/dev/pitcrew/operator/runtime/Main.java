package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.Crds;
import dev.pitcrew.kube.client.ClientOptions;
import dev.pitcrew.kube.client.Clients;
import dev.pitcrew.operator.command.PitcrewCommand;
import dev.pitcrew.operator.command.Programs;
import dev.pitcrew.operator.runtime.cleanup.Cleanup;
import dev.pitcrew.operator.runtime.crds.ManageCrds;
import dev.pitcrew.operator.runtime.rollout.RolloutReading;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Function;

/// Entry point of the cluster process and of its helpers for installing and uninstalling.
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, Charset.defaultCharset());
    PrintWriter err = new PrintWriter(System.err, true, Charset.defaultCharset());
    Function<String, KubernetesClient> clients = Main::client;
    var definitions =
        new ManageCrds(clients, () -> Crds.files().stream().map(Crds::yaml).toList(), out, err);
    var programs =
        new Programs(
            new OperatorRuntime(System.getenv()),
            definitions,
            new Cleanup(clients, definitions, out, err),
            new RolloutReading(
                clients,
                new LiveFleet.Kinds(
                    Kinds.CLUSTER_POLICY, Kinds.NVIDIA_DRIVER, Kinds.FLEET_POLICY, Kinds.GPU_NODE),
                InstantSource.system(),
                out,
                err));
    System.exit(PitcrewCommand.create(programs, System.getenv()).execute(args));
  }

  private static KubernetesClient client(String kubeconfig) {
    return Clients.create(
        kubeconfig.isEmpty() ? ClientOptions.automatic() : ClientOptions.from(Path.of(kubeconfig)));
  }
}
