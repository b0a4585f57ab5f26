package dev.pitcrew.testbed.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The life of one pod: its process, started again as often as the pod's restart policy says.
final class PodRun {
  private static final Logger LOG = LoggerFactory.getLogger(PodRun.class);

  /// The world of a pod.
  interface Host {
    /// @param addresses where it is to answer; empty for a pod without ports
    OperatorProcess start(Pod pod, int restarts, Optional<OperatorAddresses> addresses)
        throws IOException;

    void report(Pod pod, ObjectNode status);
  }

  private final Pod pod;
  private final Host host;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable OperatorProcess process;
  private boolean isStopped;

  PodRun(Pod pod, Host host) {
    this.pod = pod;
    this.host = host;
  }

  /// Runs until the process has ended for good, or [#stop].
  void run() {
    try {
      var restarts = 0;
      while (runOnce(restarts)) {
        restarts++;
      }
    } catch (IOException e) {
      LOG.warn("pod {} cannot be run", pod.getMetadata().getName(), e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return whether to try again
  private boolean runOnce(int restarts) throws IOException, InterruptedException {
    var addresses = addresses();
    var started = start(restarts, addresses);
    if (started.isEmpty()) {
      return false;
    }
    var status = PodStatus.of(pod, restarts);
    if (addresses.isEmpty() || isReady(started.get(), addresses.get())) {
      host.report(pod, status.running());
    }
    var exitCode = started.get().awaitEnd();
    if (isStopped()) {
      return false;
    }
    var isAgain = isRestartedAfter(exitCode);
    if (!isAgain) {
      host.report(pod, status.ended(exitCode));
    }
    return isAgain;
  }

  private Optional<OperatorAddresses> addresses() {
    return pod.getSpec().getContainers().getFirst().getPorts().isEmpty()
        ? Optional.empty()
        : Optional.of(OperatorAddresses.free());
  }

  private boolean isReady(OperatorProcess started, OperatorAddresses addresses)
      throws InterruptedException {
    try {
      started.awaitReady(addresses.readiness());
      return true;
    } catch (IllegalStateException e) {
      LOG.warn("pod {} does not become ready", pod.getMetadata().getName(), e);
      return false;
    }
  }

  private boolean isRestartedAfter(int exitCode) {
    return switch (pod.getSpec().getRestartPolicy()) {
      case "Never" -> false;
      case "OnFailure" -> exitCode != 0;
      default -> true;
    };
  }

  /// Nothing where the pod is to stop.
  private Optional<OperatorProcess> start(int restarts, Optional<OperatorAddresses> addresses)
      throws IOException {
    lock.lock();
    try {
      if (!isStopped) {
        process = host.start(pod, restarts, addresses);
      }
      return isStopped ? Optional.empty() : Optional.ofNullable(process);
    } finally {
      lock.unlock();
    }
  }

  /// Asks the process to end, as the deletion of its pod does, and returns when it has.
  void stop() {
    lock.lock();
    try {
      isStopped = true;
      if (process != null) {
        process.close();
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isStopped() {
    lock.lock();
    try {
      return isStopped;
    } finally {
      lock.unlock();
    }
  }
}
