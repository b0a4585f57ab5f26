package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.KubeletLog.Said;
import dev.pitcrew.testbed.demo.InstalledCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// How fast the kubelet hears of what happens, by its own log.
record DeviceNews(AgentUnderTest agent, int trials) {
  private static final int GPU = 5;

  /// The GPU has fallen off the bus (NVIDIA's Xid catalogue).
  private static final int XID = 79;

  private static final Duration SUBSCRIBED = Duration.ofSeconds(2);

  /// @param hung from the begin of a hang until the list without its GPU
  /// @param unhealthy from an Xid until the list without its GPU
  /// @param well from the load of the driver until the list with all of them
  record Faults(Latencies hung, Latencies unhealthy, Latencies well) {}

  /// A GPU hangs for a moment, then becomes unhealthy; then the driver is reloaded.
  Faults faults() {
    var hung = new ArrayList<Duration>();
    var unhealthy = new ArrayList<Duration>();
    var well = new ArrayList<Duration>();
    for (int trial = 0; trial < trials; trial++) {
      var gpus = agent.cluster().gpus();
      hung.add(after(() -> gpus.hang(GPU), it -> it.isList(InstalledCluster.GPUS - 1)));
      after(() -> gpus.release(GPU), it -> it.isList(InstalledCluster.GPUS));
      Await.pause(SUBSCRIBED);
      unhealthy.add(after(() -> gpus.xid(GPU, XID), it -> it.isList(InstalledCluster.GPUS - 1)));
      after(gpus::unloadDriver, it -> it.isList(0));
      well.add(after(gpus::loadDriver, it -> it.isList(InstalledCluster.GPUS)));
      // Devices are offered a moment before their Xids are listened for.
      Await.pause(SUBSCRIBED);
    }
    return new Faults(new Latencies(hung), new Latencies(unhealthy), new Latencies(well));
  }

  /// The kubelet is killed and started again: from its new socket on until it takes the
  /// registration.
  Latencies registrations() {
    List<Duration> all = new ArrayList<>();
    for (int trial = 0; trial < trials; trial++) {
      var mark = agent.kubeletLog().end();
      agent.cluster().server().restartKubelet();
      var registered = await(mark, Said::isRegistration);
      all.add(Duration.between(socketMade(), registered));
    }
    return new Latencies(all);
  }

  /// From before `cause` is called, which starts a process that reports it.
  private Duration after(Runnable cause, Predicate<Said> isNews) {
    var mark = agent.kubeletLog().end();
    var begin = Instant.now();
    cause.run();
    return Duration.between(begin, await(mark, isNews));
  }

  private Instant await(long mark, Predicate<Said> isNews) {
    Await.orFail(
        AgentUnderTest.LIMIT, "the kubelet got no list", () -> first(mark, isNews).isPresent());
    return first(mark, isNews).orElseThrow().time();
  }

  private Optional<Said> first(long mark, Predicate<Said> isNews) {
    return agent.kubeletLog().since(mark).stream().filter(isNews).findFirst();
  }

  private Instant socketMade() {
    try {
      return Files.getLastModifiedTime(agent.kubeletSocket()).toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException("look at the kubelet's socket", e);
    }
  }
}
