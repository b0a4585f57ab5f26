package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.EnumSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "binaries",
    description = {
      "Find, build or download every program that a test bed runs, and show where each one is.",
      "",
      "Looked for in this order: $KUBEBUILDER_ASSETS and $PATH (only the right version), the cache"
          + " folder ($PITCREW_CACHE, else $XDG_CACHE_HOME/pitcrew, else ~/.cache/pitcrew), a build"
          + " with Go, the projects' release sites."
    })
final class ListBinaries implements Callable<Integer> {
  private final PrintWriter out;

  ListBinaries(PrintWriter out) {
    this.out = out;
  }

  @Option(
      names = "--real-nodes",
      description = "Also the programs of real nodes: kubelet, containerd, network plugins.")
  private boolean withRealNodes;

  @Option(names = "--promtool", description = "Also promtool, with which alert rules are tested.")
  private boolean withPromtool;

  @Option(names = "--registry", description = "Also a registry of images and its client.")
  private boolean withRegistry;

  @Override
  public Integer call() {
    Binaries.standard(Progress.standardError())
        .resolveAll(wanted())
        .forEach((binary, path) ->
            out.printf("%-24s %-8s %s%n", binary.command(), binary.version(), path));
    return 0;
  }

  private Collection<Binary> wanted() {
    var wanted = EnumSet.copyOf(Binary.forNodes(withRealNodes));
    if (withPromtool) {
      wanted.add(Binary.PROMTOOL);
    }
    if (withRegistry) {
      wanted.addAll(Binary.FOR_PUSHES);
    }
    return wanted;
  }
}
