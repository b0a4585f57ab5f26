package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.demo.DemoOptions.NodeCounts;
import dev.pitcrew.testbed.operator.OperatorOptions;
import java.io.Console;
import java.nio.file.Path;
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

/// The command line of the demo. Exits with 0 when every step could be played and, with `--once`,
/// every check holds; with 1 when not.
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows Pitcrew at work: a real control plane, simulated GPU nodes, the chart, the operator;",
      "and on Linux as root one real node, where operator and agent run as pods and GPUs are used.",
      "Run it from the root of a built checkout. It touches no cluster of yours."
    })
public final class DemoCommand implements Callable<Integer> {
  /// Held here, or its level could be forgotten. The client warns of every watch that ends.
  private static final Logger CLIENT_LOG = Logger.getLogger("io.fabric8");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--once", description = "Check each step, end after the last, fail if one fails.")
  private boolean isOnce;

  @Option(
      names = "--gpu-nodes",
      paramLabel = "N",
      defaultValue = "12",
      description = "Simulated nodes with GPUs (default: ${DEFAULT-VALUE}).")
  private int gpuNodes;

  @Option(
      names = "--cpu-nodes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Simulated nodes without (default: ${DEFAULT-VALUE}).")
  private int cpuNodes;

  @Option(
      names = "--chart",
      paramLabel = "FOLDER",
      defaultValue = "charts/pitcrew",
      description = "The chart to install (default: ${DEFAULT-VALUE}).")
  private Path chart = Path.of("");

  @Option(
      names = "--values",
      paramLabel = "FILE",
      defaultValue = "demo/values.yaml",
      description = "What to install it with (default: ${DEFAULT-VALUE}).")
  private Path values = Path.of("");

  @Option(
      names = "--image",
      paramLabel = "FILE",
      defaultValue = "image/target",
      description = {
        "The archive with the image of operator and agent for the real node, or a folder with it",
        "(default: ${DEFAULT-VALUE}, where 'make image' writes it)."
      })
  private Path image = Path.of("");

  @Option(
      names = "--simulated-only",
      description = "Leave the real node out, also where this machine could run one.")
  private boolean isSimulatedOnly;

  @Option(
      names = "--takeover",
      description = {
        "Show instead how a cluster of the NVIDIA GPU Operator is taken over, and the way back: three",
        "simulated nodes and a real one."
      })
  private boolean isTakeover;

  @Mixin private OperatorOptions operator = new OperatorOptions();

  public static void main(String[] arguments) {
    CLIENT_LOG.setLevel(Level.SEVERE);
    System.exit(new CommandLine(new DemoCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws InterruptedException {
    var isTerminal = Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    var screen = new Screen(spec.commandLine().getOut(), isTerminal);
    return new Demo(screen, options()).run()
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  private DemoOptions options() {
    return new DemoOptions(
        isOnce,
        new NodeCounts(gpuNodes, cpuNodes),
        operator.program(),
        chart,
        values,
        image,
        isSimulatedOnly,
        isTakeover);
  }
}
