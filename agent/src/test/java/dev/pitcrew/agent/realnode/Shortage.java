package dev.pitcrew.agent.realnode;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Asks the kubelet all the time whether all GPUs are well, and hears of each change of what the
/// Node says it has.
final class Shortage implements AutoCloseable {
  /// A kubelet refuses more than a hundred questions a second.
  private static final long PAUSE_MILLIS = 15;

  private final PodDevices devices;
  private final Set<String> allocatable = new ConcurrentSkipListSet<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private final SharedIndexInformer<Node> informer;
  private final Thread asking = Thread.ofVirtual().name("shortage").unstarted(this::ask);

  private Shortage(GpuNode node) {
    this.devices = new PodDevices(node.node());
    this.informer = node.client().nodes().withName(node.node().name()).inform(new Watcher());
  }

  static Shortage watch(GpuNode node) {
    var shortage = new Shortage(node);
    shortage.asking.start();
    return shortage;
  }

  /// The longest time for which the kubelet had not all GPUs.
  Duration longest() {
    return Duration.ofNanos(longestNanos.get());
  }

  /// Every number of allocatable GPUs that the Node reported.
  Set<String> allocatable() {
    return Set.copyOf(allocatable);
  }

  private void ask() {
    try {
      long completeAtNanos = System.nanoTime();
      while (!Thread.currentThread().isInterrupted()) {
        boolean isComplete = hasAll();
        long nowNanos = System.nanoTime();
        if (isComplete) {
          completeAtNanos = nowNanos;
        } else {
          longestNanos.accumulateAndGet(nowNanos - completeAtNanos, Math::max);
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// One that does not answer has what it had.
  private boolean hasAll() {
    try {
      return devices.healthy(GpuNode.GPU) == GpuNode.GPUS;
    } catch (StatusRuntimeException _) {
      return true;
    }
  }

  private final class Watcher implements ResourceEventHandler<Node> {
    @Override
    public void onAdd(Node live) {
      var count = live.getStatus().getAllocatable().getOrDefault(GpuNode.GPU, new Quantity("-1"));
      allocatable.add(count.getAmount());
    }

    @Override
    public void onUpdate(Node before, Node after) {
      onAdd(after);
    }

    @Override
    public void onDelete(Node last, boolean isFinalStateUnknown) {}
  }

  @Override
  public void close() {
    asking.interrupt();
    try {
      asking.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    informer.close();
    devices.close();
  }
}
