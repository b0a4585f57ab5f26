package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.operator.OperatorOptions;
import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.play.OperatorCommand;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Stage;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// The command line of the scenario player. Exits with 0 when every fact is equal, with 1 when not,
/// with 2 when its input cannot be used.
@Command(
    name = "parity",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Plays scenarios against an operator and compares the facts that it leaves.",
      "A cluster that is given must hold nothing else: nodes and custom resources are removed."
    })
public final class ParityCommand implements Callable<Integer> {
  /// Held here, or its level could be forgotten. The client warns of every alpha version it
  /// watches.
  private static final Logger CLIENT_LOG = Logger.getLogger("io.fabric8");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--kubeconfig",
      description = "The cluster to play on. Default: a control plane of the run's own.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--chart",
      defaultValue = "charts/pitcrew",
      description = {
        "The chart whose definitions and rights a control plane of the run's own gets",
        "(default: ${DEFAULT-VALUE})."
      })
  private Path chart = Path.of("");

  /// Run on a control plane of the run's own.
  @Mixin private OperatorOptions operator = new OperatorOptions();

  @Option(names = "--scenarios", required = true, description = "The folder of scenarios.")
  private Path scenarios = Path.of("");

  @Option(names = "--only", arity = "1..*", description = "Play only these scenarios.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--skip-list", description = "Scenarios not to play: NAME # REASON a line.")
  private Optional<Path> skipList = Optional.empty();

  @Option(
      names = "--ignore",
      description = "Facts to leave out: [SCENARIO,...] PATTERN # REASON a line.")
  private Optional<Path> ignore = Optional.empty();

  @Option(names = "--expected", description = "The folder of expected facts of our own.")
  private Optional<Path> expected = Optional.empty();

  @Option(
      names = "--strict",
      description = "Fail on lines of the ignore file that leave nothing out.")
  private boolean isStrict;

  @Option(
      names = "--operator-command",
      defaultValue = "",
      description = {
        "The shell command that runs the operator, started again for each scenario.",
        "It sees KUBECONFIG, OPERATOR_NAMESPACE and SCENARIO. Default: one is running already."
      })
  private String operatorCommand = "";

  @Option(
      names = "--operator-ready-url",
      description = "Answers 200 when the operator works. Without it the first wait is longer.")
  private Optional<URI> operatorReady = Optional.empty();

  @Option(
      names = "--out",
      defaultValue = "target/parity",
      description = "Takes facts and operator logs (default: ${DEFAULT-VALUE}).")
  private Path out = Path.of("");

  @Option(names = "--verbose", description = "Print every difference, not only the first ten.")
  private boolean isVerbose;

  @Option(
      names = "--kubectl",
      defaultValue = "kubectl",
      description = "The kubectl program (default: ${DEFAULT-VALUE}).")
  private Path kubectl = Path.of("");

  @Option(
      names = "--namespace",
      defaultValue = "gpu-operator",
      description = "The operator's namespace (default: ${DEFAULT-VALUE}).")
  private String namespace = "";

  @Option(
      names = "--quiet-seconds",
      defaultValue = "3",
      description = "No change for so long means settled (default: ${DEFAULT-VALUE}).")
  private double quietSeconds;

  public static void main(String[] arguments) {
    CLIENT_LOG.setLevel(Level.SEVERE);
    System.exit(new CommandLine(new ParityCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    var console = spec.commandLine();
    try {
      return run(console.getOut()) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    } catch (RefusedFile e) {
      console.getErr().println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
  }

  private boolean run(PrintWriter report) throws IOException, InterruptedException {
    var scratch = Files.createTempDirectory("parity");
    try {
      return kubeconfig.isPresent()
          ? ParityRun.run(givenCluster(kubeconfig.get(), scratch), report).isParity()
          : runOnOwnCluster(scratch, report);
    } finally {
      delete(scratch);
    }
  }

  private boolean runOnOwnCluster(Path scratch, PrintWriter report)
      throws IOException, InterruptedException {
    var program = operator.program();
    var wanted = EnumSet.copyOf(Binary.FOR_CONTROL_PLANE);
    wanted.add(Binary.KUBECTL);
    var binaries = Binaries.standard(Progress.standardError());
    binaries.resolveAll(wanted);
    var ownKubectl = binaries.resolve(Binary.KUBECTL);
    try (var cluster = OwnCluster.start(chart, namespace)) {
      var options = options(cluster.stage(ownKubectl, scratch), cluster.operator(program));
      return ParityRun.run(options, report).isParity();
    }
  }

  private ParityOptions givenCluster(Path given, Path scratch) {
    return options(
        new Stage(given, kubectl, namespace, scratch),
        OperatorCommand.ofShell(operatorCommand, operatorReady));
  }

  private ParityOptions options(Stage stage, OperatorCommand operator) {
    return new ParityOptions(
        stage,
        operator,
        Duration.ofMillis(Math.round(quietSeconds * 1000)),
        new ParityOptions.Selection(scenarios, only, skipList),
        new ParityOptions.Rules(ignore, expected, isStrict),
        new ParityOptions.Output(out, isVerbose));
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
