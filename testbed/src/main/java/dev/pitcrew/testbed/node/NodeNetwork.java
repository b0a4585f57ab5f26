package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.Deadline;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The network of the nodes of one test bed: a bridge on this machine, with routes from this
/// machine to pods and between nodes. It has a number of its own, so that several test beds fit
/// side by side; nothing is forwarded or translated by this machine. It goes with the work
/// directory.
public final class NodeNetwork implements AutoCloseable {
  private static final int NETWORKS = 64;
  private static final int MOST_NODES = 200;
  private static final int FIRST_NODE = 10;
  private static final String TAKEN = "is in use";
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final int number;
  private final String owner;
  private final GuardedProcess process;

  private NodeNetwork(int number, String owner, GuardedProcess process) {
    this.number = number;
    this.owner = owner;
    this.process = process;
  }

  /// Makes the first network of which no address is in use; one that a wider route covers, as that
  /// of a VPN may, only where there is no other.
  ///
  /// @throws TestbedException if there is none
  public static NodeNetwork open(WorkDirectory directory) {
    var first = (int) (ProcessHandle.current().pid() % NETWORKS);
    return Stream.of(false, true)
        .flatMap(isCovered -> free(first, isCovered))
        .flatMap(number -> make(directory, number).stream())
        .findFirst()
        .orElseThrow(() ->
            new TestbedException(
                "no network for nodes: 10.89.0.0 to 10.89.63.255 are all in use; 'testbed list'"
                    + " shows who"));
  }

  private static Stream<Integer> free(int first, boolean isCovered) {
    return IntStream.range(0, NETWORKS)
        .mapToObj(offset -> (first + offset) % NETWORKS)
        .filter(number -> ranges(number).stream().noneMatch(NodeNetwork::isInUse))
        .filter(number -> ranges(number).stream().anyMatch(NodeNetwork::isCovered) == isCovered);
  }

  private static List<String> ranges(int number) {
    return List.of("10.89.%d.0/24".formatted(number), "10.%d.0.0/16".formatted(128 + number));
  }

  /// Checked before the process is started: what such a process leaves is cleaned up after it, even
  /// if another program made it.
  private static boolean isInUse(String range) {
    return !SystemCommand.run("ip", "-4", "route", "show", "root", range).isBlank();
  }

  private static boolean isCovered(String range) {
    return SystemCommand.run("ip", "-4", "route", "show", "match", range)
        .lines()
        .anyMatch(route -> !route.startsWith("default"));
  }

  /// Empty where another test bed has just taken the number.
  private static Optional<NodeNetwork> make(WorkDirectory directory, int number) {
    var owner = directory.path().toString();
    var after = "BRIDGE=" + bridge(number) + "\n" + NodeResources.text("after-network.sh");
    var command =
        new ArrayList<>(
            List.of(
                "/bin/sh",
                "-c",
                NodeResources.text("network.sh"),
                "network.sh",
                bridge(number),
                owner,
                address(number)));
    command.addAll(ranges(number));
    var process = directory.start("node-network", after, command);
    Deadline.in(LIMIT).await(process, () -> hasSpoken(process));
    if (process.logTail().contains(TAKEN)) {
      process.stop();
      return Optional.empty();
    }
    return Optional.of(new NodeNetwork(number, owner, process));
  }

  private static boolean hasSpoken(GuardedProcess process) {
    var words = process.logTail();
    return words.contains("is up") || words.contains(TAKEN);
  }

  /// The address of this machine that nodes and pods reach.
  public String address() {
    return address(number);
  }

  /// Distinguishes the cgroups of this test bed from others'.
  String prefix() {
    return bridge(number);
  }

  /// The place of the node with this number, from 1.
  NodePlace place(int node) {
    if (node > MOST_NODES) {
      throw new TestbedException("a network has room for " + MOST_NODES + " nodes");
    }
    return new NodePlace(
        bridge(number) + "-" + node,
        "10.89.%d.%d".formatted(number, FIRST_NODE + node),
        "10.%d.%d.0/24".formatted(128 + number, node));
  }

  /// Connects the node whose pid 1 is `pid` with this machine and with the other nodes.
  void attach(NodePlace place, long pid, Collection<RealNode> others) {
    SystemCommand.script(
        "attach.sh",
        bridge(number),
        owner,
        place.networkInterface(),
        Long.toString(pid),
        place.address(),
        place.podRange());
    for (var other : others) {
      other
          .pid()
          .ifPresent(otherPid -> {
            route(otherPid, place);
            route(pid, other.place());
          });
    }
  }

  /// The way from a node to the pods of another.
  private static void route(long fromPid, NodePlace to) {
    SystemCommand.run(
        "nsenter",
        "--target",
        Long.toString(fromPid),
        "--net",
        "ip",
        "route",
        "replace",
        to.podRange(),
        "via",
        to.address());
  }

  @Override
  public void close() {
    process.stop();
  }

  private static String bridge(int number) {
    return "pctb" + number;
  }

  private static String address(int number) {
    return "10.89.%d.1".formatted(number);
  }
}
