package dev.pitcrew.operator.command;

import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.operator.web.ManagementAddresses;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "operator",
    description = "Runs the cluster process until it is stopped.",
    footer = {
      "",
      "Environment:",
      "  OPERATOR_NAMESPACE   where the operator and its operands live (required)",
      "  POD_NAME             identity in the leader lease (default: HOSTNAME)"
    })
final class OperatorCommand implements Callable<Integer> {
  private final OperatorProgram program;
  private final Environment environment;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin KubeconfigFlag kubeconfig = new KubeconfigFlag();
  @Mixin LogFlags logging = new LogFlags();

  @Option(
      names = "--metrics-bind-address",
      paramLabel = "<address>",
      defaultValue = ":8080",
      converter = AddressConverter.class,
      description = "Where metrics are served; 0 for nowhere (default: ${DEFAULT-VALUE}).")
  BindAddress metricsAddress = new BindAddress.Off();

  @Option(
      names = "--health-probe-bind-address",
      paramLabel = "<address>",
      defaultValue = ":8081",
      converter = AddressConverter.class,
      description =
          "Where /healthz and /readyz are served; 0 for nowhere (default: ${DEFAULT-VALUE}).")
  BindAddress healthAddress = new BindAddress.Off();

  @Option(
      names = "--leader-elect",
      paramLabel = "<true|false>",
      arity = "0..1",
      fallbackValue = "true",
      description = "Act only while holding the leader lease, so that several replicas can run.")
  boolean leaderElect;

  @Option(
      names = "--leader-elect-namespace",
      paramLabel = "<namespace>",
      defaultValue = "",
      description = "Namespace of the leader lease (default: the operator's).")
  String leaseNamespace = "";

  @Option(
      names = "--leader-lease-renew-deadline",
      paramLabel = "<duration>",
      defaultValue = "0",
      converter = GoDuration.class,
      description =
          "How long the leader tries to renew its lease, such as 60s; the lease holds 5s longer (default: 10s).")
  Duration renewDeadline = Duration.ZERO;

  @Option(
      names = "--resync-period",
      paramLabel = "<duration>",
      defaultValue = "10m",
      converter = GoDuration.class,
      description =
          "How often everything is reconciled without a change; 0 for never (default: ${DEFAULT-VALUE}).")
  Duration resyncPeriod = Duration.ZERO;

  OperatorCommand(OperatorProgram program, Environment environment) {
    this.program = program;
    this.environment = environment;
  }

  @Override
  public Integer call() {
    String namespace = environment.operatorNamespace().orElse("");
    String podName = environment.podName().orElse("");
    if (namespace.isEmpty()) {
      return refuse(
          "OPERATOR_NAMESPACE is not set: set it to the namespace that the operator runs in.");
    }
    if (leaderElect && podName.isEmpty()) {
      return refuse("POD_NAME is not set: leader election needs a name that no other replica has.");
    }
    return program.run(options(namespace, podName));
  }

  private OperatorOptions options(String namespace, String podName) {
    String leases = leaseNamespace.isEmpty() ? namespace : leaseNamespace;
    return new OperatorOptions(
        namespace,
        podName,
        kubeconfig.path,
        new ManagementAddresses(metricsAddress, healthAddress),
        LeaderElection.of(leaderElect, leases, renewDeadline),
        resyncPeriod,
        logging.options());
  }

  private int refuse(String reason) {
    spec.commandLine().getErr().println(reason);
    return PitcrewCommand.FAILED;
  }

  static final class AddressConverter implements ITypeConverter<BindAddress> {
    @Override
    public BindAddress convert(String text) {
      try {
        return BindAddress.parse(text);
      } catch (IllegalArgumentException invalid) {
        throw new TypeConversionException(invalid.getMessage());
      }
    }
  }
}
