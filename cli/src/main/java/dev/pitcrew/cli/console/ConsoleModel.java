package dev.pitcrew.cli.console;

import dev.pitcrew.cli.cluster.ClaimState;
import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import dev.pitcrew.cli.cluster.Listing;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.cluster.Reflector;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/// Follows the cluster: nodes and pods by watches, the few policies by lists, since each watch is a
/// process of kubectl. Safe for use by several threads.
public final class ConsoleModel implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition hasChanged = lock.newCondition();
  private final List<Thread> threads = new ArrayList<>();
  private final InstantSource clock;
  private final ClusterReading reading;
  private final Reflector<GpuNode> nodes;
  private final Reflector<KubeNode> kubeNodes;
  private final Reflector<Pod> pods;
  private final Map<Policy.Kind, Reflector<Policy>> policies = new LinkedHashMap<>();
  private final Reflector<FleetSettings> settings;
  private long version;

  /// How the cluster is reached.
  ///
  /// @param reading for what is asked for now and then
  /// @param lists with a limit of time for each answer
  /// @param watches without one
  public record Connection(ClusterReading reading, Kubectl lists, Kubectl watches) {}

  public ConsoleModel(Connection connection, Reflector.Pauses pauses, InstantSource clock) {
    this.clock = clock;
    reading = connection.reading();
    var watched = Optional.of(connection.watches());
    nodes = reflector(Listing.GPU_NODES, connection, watched, pauses);
    kubeNodes = reflector(Listing.NODES, connection, watched, pauses);
    pods = reflector(Listing.GPU_PODS, connection, watched, pauses);
    for (Policy.Kind kind : Policy.Kind.values()) {
      policies.put(kind, reflector(Listing.policies(kind), connection, Optional.empty(), pauses));
    }
    settings = reflector(Listing.FLEET_SETTINGS, connection, Optional.empty(), pauses);
  }

  /// Begins to read.
  public void start() {
    Stream.concat(Stream.of(nodes, kubeNodes, pods, settings), policies.values().stream())
        .forEach(it -> threads.add(Thread.ofPlatform().daemon().name("reflector").start(it::run)));
  }

  Snapshot snapshot() {
    var all = new ArrayList<Policy>();
    policies.values().forEach(it -> all.addAll(it.objects().orElse(List.of())));
    return new Snapshot(
        clock.instant(),
        nodes.objects().orElse(List.of()),
        kubeNodes.objects(),
        pods.objects(),
        all,
        settings.objects().flatMap(it -> it.stream().findFirst()),
        problems());
  }

  /// Of one namespace, read now; empty where the user may not list them.
  Optional<List<ClaimState>> claims(String namespace) {
    return reading.claims(namespace).get();
  }

  /// Whether the first lists of nodes and pods have been answered.
  boolean isRead() {
    return Stream.of(nodes, kubeNodes, pods)
        .map(Reflector::state)
        .allMatch(it -> it.isRead() || it.refusal().isPresent());
  }

  /// Waits for a version other than the given one, at most so long.
  ///
  /// @return the version that is there then
  long awaitChange(long known, Duration longest) throws InterruptedException {
    long left = longest.toNanos();
    lock.lockInterruptibly();
    try {
      while (version == known && left > 0) {
        left = hasChanged.awaitNanos(left);
      }
      return version;
    } finally {
      lock.unlock();
    }
  }

  /// Ends the watches, and the processes that read for them.
  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    ProcessHandle.current().children().forEach(ProcessHandle::destroy);
  }

  private <T> Reflector<T> reflector(
      Listing<T> listing,
      Connection connection,
      Optional<Kubectl> watches,
      Reflector.Pauses pauses) {
    return new Reflector<>(listing, connection.lists(), watches, pauses, clock, this::changed);
  }

  private void changed() {
    lock.lock();
    try {
      version++;
      hasChanged.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private List<Snapshot.Problem> problems() {
    var problems = new ArrayList<Snapshot.Problem>();
    add(problems, "GPUNodes", nodes.state());
    add(problems, "nodes", kubeNodes.state());
    add(problems, "pods", pods.state());
    policies.forEach((kind, reflector) -> {
      // Most clusters do not have all kinds.
      if (reflector
          .state()
          .refusal()
          .filter(it -> it.kind() != Refusal.Kind.NOT_FOUND)
          .isPresent()) {
        add(problems, kind.title(), reflector.state());
      }
    });
    return problems;
  }

  private static void add(List<Snapshot.Problem> problems, String what, Reflector.State state) {
    state
        .refusal()
        .ifPresent(it ->
            problems.add(
                new Snapshot.Problem(
                    what, it.message(), state.isRead(), state.since().toString())));
  }
}
