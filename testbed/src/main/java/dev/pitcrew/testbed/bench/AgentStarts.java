package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.bench.KubeletLog.Said;
import dev.pitcrew.testbed.bench.PodProcesses.OfPod;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.demo.InstalledCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Lets the agent start again and again, each time on a node that lacks one of its labels and its
/// CDI specification. All moments are read afterwards, from logs and files: nothing is polled that
/// the agent could feel.
record AgentStarts(AgentUnderTest agent, int trials) {
  /// How long after the start of the process each came.
  ///
  /// @param registered the kubelet took the registration
  /// @param listed the kubelet has taken a list with all devices
  /// @param cdi the CDI specification was written
  /// @param labelled the API server has answered the call that labels the Node
  record Started(Duration registered, Duration listed, Duration cdi, Duration labelled) {
    Duration complete() {
      return Collections.max(List.of(listed, cdi, labelled));
    }
  }

  /// All trials of one kind.
  record Starts(List<Started> all) {
    Starts {
      all = List.copyOf(all);
    }

    Latencies latencies(Function<Started, Duration> moment) {
      return new Latencies(all.stream().map(moment).toList());
    }
  }

  /// The pod is deleted; counts from the start of the new container's first process.
  Starts ofPods() {
    return starts(() -> {
      var pod = agent.pod(agent.cluster().server()).orElseThrow();
      agent.delete(pod);
      return () -> processes().gate();
    });
  }

  /// The Java process is killed; counts from the start of the next one, which the gate starts after
  /// a pause.
  Starts ofProcesses() {
    return starts(() -> {
      var old = processes().agent().orElseThrow();
      ProcessHandle.of(old.id()).ifPresent(ProcessHandle::destroyForcibly);
      return () -> processes().agent().filter(process -> process.id() != old.id());
    });
  }

  /// @param ending ends the agent, and returns how to find the next
  private Starts starts(Supplier<Supplier<Optional<OfPod>>> ending) {
    return new Starts(IntStream.range(0, trials).mapToObj(_ -> trial(ending)).toList());
  }

  private Started trial(Supplier<Supplier<Optional<OfPod>>> ending) {
    var mark = agent.kubeletLog().end();
    var gone = ProcessHandle.of(processes().agent().orElseThrow().id()).orElseThrow().onExit();
    var next = ending.get();
    try {
      gone.join();
    } catch (CompletionException e) {
      throw new TestbedException("the agent did not end", e);
    }
    agent.removeCdiFiles();
    agent.removeLabel();
    var begin = awaitNext(next).started();
    Await.orFail(AgentUnderTest.LIMIT, "the agent did not offer all", () -> isDone(mark, begin));
    return started(mark, begin);
  }

  private static OfPod awaitNext(Supplier<Optional<OfPod>> next) {
    var found = new AtomicReference<>(Optional.<OfPod>empty());
    Await.orFail(
        AgentUnderTest.LIMIT,
        "no agent was started",
        () -> {
          found.set(next.get());
          return found.get().isPresent();
        });
    return found.get().orElseThrow();
  }

  private boolean isDone(long mark, Instant begin) {
    return said(mark, begin).anyMatch(it -> it.isList(InstalledCluster.GPUS))
        && !agent.cdiFiles().isEmpty()
        && agent.hasLabel();
  }

  private Started started(long mark, Instant begin) {
    var registered = said(mark, begin).filter(Said::isRegistration).findFirst().orElseThrow();
    var listed =
        said(mark, begin).filter(it -> it.isList(InstalledCluster.GPUS)).findFirst().orElseThrow();
    var cdi = agent.cdiFiles().stream().map(AgentStarts::written).max(Instant::compareTo);
    return new Started(
        Duration.between(begin, registered.time()),
        Duration.between(begin, listed.time()),
        Duration.between(begin, cdi.orElseThrow()),
        Duration.between(begin, labelled(begin)));
  }

  private Instant labelled(Instant begin) {
    return agent.calls().since(begin).stream()
        .filter(request -> request.verb().equals("patch") && request.resource().equals("nodes"))
        .map(Request::answered)
        .min(Instant::compareTo)
        .orElseThrow(() -> new TestbedException("the audit log has no patch of the Node"));
  }

  private Stream<Said> said(long mark, Instant begin) {
    return agent.kubeletLog().since(mark).stream().filter(it -> it.time().isAfter(begin));
  }

  private PodProcesses processes() {
    return agent.processes(agent.cluster().server());
  }

  private static Instant written(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      throw new UncheckedIOException("look at " + file, e);
    }
  }
}
