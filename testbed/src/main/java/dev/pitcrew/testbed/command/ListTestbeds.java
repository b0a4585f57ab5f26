package dev.pitcrew.testbed.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "list", description = "Show the test beds of this user that run.")
final class ListTestbeds implements Callable<Integer> {
  private static final String ROW = "%-20s %-8s %-9s %s%n";
  private final PrintWriter out;

  ListTestbeds(PrintWriter out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    var all = Testbeds.ofThisUser().all();
    if (all.isEmpty()) {
      out.println("No test bed runs. Start one: testbed up --gpu-nodes 4");
      return 0;
    }
    out.printf(ROW, "NAME", "PID", "STATE", "KUBECONFIG");
    for (var testbed : all) {
      var state = testbed.owner().process().isPresent() ? "running" : "left over";
      out.printf(ROW, testbed.name(), testbed.owner().pid(), state, testbed.kubeconfig());
    }
    return 0;
  }
}
