package dev.pitcrew.agent.command;

import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.labels.plan.FeatureLabels;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "features",
    abbreviateSynopsis = true,
    description = "Reports once the labels that Node Feature Discovery would set on this node.")
final class FeaturesCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin OutputFormat format = new OutputFormat();

  @Option(
      names = "--output",
      paramLabel = "<file>",
      defaultValue = "",
      description = "The file to write, replaced as a whole (default: standard output).")
  String output = "";

  @Override
  public Integer call() throws IOException {
    if (!format.isValid()) {
      spec.commandLine().getErr().println(format.refusal());
      return PitcrewCommand.FAILED;
    }
    var facts = HostFacts.features(new HostRoot(node.hostRoot));
    String text = LabelText.of(FeatureLabels.of(facts), format);
    Output.write(output, text, spec.commandLine().getOut());
    return PitcrewCommand.DONE;
  }
}
