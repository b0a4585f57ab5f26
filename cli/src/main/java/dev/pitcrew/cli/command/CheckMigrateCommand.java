package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterFitness;
import dev.pitcrew.cli.cluster.OperatorDeployment;
import dev.pitcrew.cli.cluster.TakeoverReading;
import dev.pitcrew.cli.plan.InstallChecks;
import dev.pitcrew.cli.plan.MigrateChecks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Says what a move from the NVIDIA GPU Operator to Pitcrew would change, and what stands in its way.",
      "Ends with the commands that do it in this cluster. Exit code 1 says that something stands in the way."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu check migrate",
      "  kubectl gpu check migrate --values your-values.yaml    # with the values of the release"
    })
final class CheckMigrateCommand extends CheckCommand.Checking {
  /// What can be taken over.
  private static final String SOURCE = "gpu-operator";

  /// Some twenty kubectl run at once, also on a machine that has little to run them with.
  private static final Duration LEAST = Duration.ofSeconds(30);

  @Option(
      names = "--from",
      paramLabel = "<gpu-operator>",
      defaultValue = SOURCE,
      description = "What is there now (default: ${DEFAULT-VALUE}, the NVIDIA GPU Operator).")
  String source = SOURCE;

  @Option(
      names = "--values",
      paramLabel = "<file>",
      defaultValue = "",
      description = "Values of the Helm release, as helm get values --output yaml prints them.")
  String file = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "<name>",
      defaultValue = "",
      description = "Namespace of the NVIDIA GPU Operator (default: where its Deployment is).")
  String namespace = "";

  CheckMigrateCommand(Session session) {
    super(session);
  }

  @Override
  public Integer call() {
    if (!source.equals(SOURCE)) {
      throw Names.wrong(
          "--from %s is nothing that Pitcrew takes over: %s is".formatted(source, SOURCE));
    }
    Optional<MigrateChecks.Values> values =
        file.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new MigrateChecks.Values(file, ChartValues.of(file), ChartValues.known()));
    String wanted = namespace.isEmpty() ? "" : Names.require("namespace", namespace);
    String version = cluster().kubernetesVersion(); // where none is reached, it says so in time
    var cluster = connection.cluster(session, LEAST);
    var fitness = new ClusterFitness(cluster, connection.kubectl(session, LEAST));
    var reading = new TakeoverReading(cluster);
    var workloads = reading.workloads();
    var policies = reading.policies();
    var others = reading.others();
    var definitions = fitness.definitions();
    var admission = fitness.admissionPolicies();
    var nodes = fitness.nodes();
    var hostnameQueries = reading.hostnameQueries();
    var holders = cluster.holders();
    Optional<OperatorDeployment> operator = operator(workloads.get().operators(), wanted);
    String place = operator.map(OperatorDeployment::namespace).orElse(orDefault(wanted));
    var denied = fitness.denied(place);
    var found = fitness.namespace(place);
    Optional<String> enforced =
        found
            .get()
            .map(it -> it.at("metadata", "labels", "pod-security.kubernetes.io/enforce").text());
    return print(
        MigrateChecks.of(
            new MigrateChecks.Facts(
                new InstallChecks.Facts(
                    version,
                    place,
                    enforced.isPresent(),
                    enforced,
                    definitions.get(),
                    Optional.of(workloads.get().gpuSoftware()),
                    admission.get(),
                    denied.get(),
                    nodes.get()),
                operator,
                workloads.get(),
                policies.get(),
                others.get(),
                ChartValues.policyFields(),
                hostnameQueries.get(),
                holders.get(),
                values)),
        List.of());
  }

  private static String orDefault(String namespace) {
    return namespace.isEmpty() ? SOURCE : namespace;
  }

  /// One that is NVIDIA's before one that is ours already.
  private static Optional<OperatorDeployment> operator(
      List<OperatorDeployment> all, String wanted) {
    List<OperatorDeployment> here =
        all.stream().filter(it -> wanted.isEmpty() || it.namespace().equals(wanted)).toList();
    List<OperatorDeployment> theirs = here.stream().filter(it -> !it.isPitcrew()).toList();
    if (theirs.size() > 1) {
      throw Names.wrong(
          "the Deployment gpu-operator is in several namespaces, choose one: -n "
              + String.join(
                  " or -n ", theirs.stream().map(OperatorDeployment::namespace).toList()));
    }
    return theirs.isEmpty() ? here.stream().findFirst() : Optional.of(theirs.getFirst());
  }
}
