package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.node.PodTrouble;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// What the operator's namespace, the nodes and our resources hold now, kept up to date by watches.
final class LiveCluster implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final SharedIndexInformer<DaemonSet> daemonSets;
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Lease> leases;
  private final SharedIndexInformer<GenericKubernetesResource> policies;
  private final SharedIndexInformer<Event> policyEvents;
  private final SharedIndexInformer<Node> nodes;
  private final SharedIndexInformer<GenericKubernetesResource> gpuNodes;

  /// Watches until closed; the definitions of our resources must be there.
  LiveCluster(KubernetesClient client, String namespace) {
    daemonSets = client.apps().daemonSets().inNamespace(namespace).inform(new Waker<>());
    pods = client.pods().inNamespace(namespace).inform(new Waker<>());
    leases = client.leases().inNamespace(namespace).inform(new Waker<>());
    policies = client.genericKubernetesResources(Policy.KIND).inform(new Waker<>());
    policyEvents =
        client
            .v1()
            .events()
            .inAnyNamespace()
            .withField("involvedObject.kind", "ClusterPolicy")
            .inform(new Waker<>());
    nodes = client.nodes().inform(new Waker<>());
    gpuNodes = client.genericKubernetesResources(GpuNodeView.KIND).inform(new Waker<>());
  }

  /// By name.
  List<DaemonSet> daemonSets() {
    return byName(daemonSets);
  }

  /// By name.
  List<Pod> pods() {
    return byName(pods);
  }

  /// By name.
  List<Node> nodes() {
    return byName(nodes);
  }

  Optional<Node> node(String name) {
    return named(nodes, name);
  }

  GpuNodeView gpuNode(String name) {
    return GpuNodeView.of(named(gpuNodes, name));
  }

  List<GpuNodeView> gpuNodes() {
    return byName(gpuNodes).stream().map(GpuNodeView::of).toList();
  }

  Optional<Lease> lease(String name) {
    return named(leases, name);
  }

  /// What keeps pods from running; nothing keeps a simulated one.
  List<PodTrouble> troubles() {
    return pods().stream().flatMap(pod -> PodTrouble.of(pod).stream()).toList();
  }

  /// @throws TestbedException if a pod lacks its image, for which waiting is in vain
  void requireImages() {
    troubles().stream()
        .filter(PodTrouble::isOfImage)
        .findFirst()
        .ifPresent(trouble -> {
          throw new TestbedException(
              trouble
                  + ". Nothing is pulled here: the image must be in the archive under this very"
                  + " name; 'make image' builds it, --image names another archive");
        });
  }

  Policy policy() {
    return byName(policies).stream().findFirst().map(Policy::of).orElseGet(Policy::absent);
  }

  /// What was announced about ClusterPolicies, by name, which begins with the same words for all.
  List<Event> policyEvents() {
    return byName(policyEvents);
  }

  /// Looks at every change until `condition` holds.
  ///
  /// @return whether it came to hold within `limit`
  boolean await(Duration limit, BooleanSupplier condition) {
    lock.lock();
    try {
      var left = limit.toNanos();
      while (!condition.getAsBoolean()) {
        if (left <= 0) {
          return false;
        }
        left = change.awaitNanos(left);
      }
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    List.of(daemonSets, pods, leases, policies, policyEvents, nodes, gpuNodes)
        .forEach(SharedIndexInformer::close);
  }

  private static <T extends HasMetadata> Optional<T> named(
      SharedIndexInformer<T> informer, String name) {
    return informer.getStore().list().stream()
        .filter(object -> object.getMetadata().getName().equals(name))
        .findFirst();
  }

  private static <T extends HasMetadata> List<T> byName(SharedIndexInformer<T> informer) {
    return informer.getStore().list().stream()
        .sorted(Comparator.comparing(object -> object.getMetadata().getName()))
        .toList();
  }

  /// The store has changed before a handler is called, so a waiting thread sees the change.
  private final class Waker<T> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T added) {
      wake();
    }

    @Override
    public void onUpdate(T before, T after) {
      wake();
    }

    @Override
    public void onDelete(T deleted, boolean isStateUnknown) {
      wake();
    }

    private void wake() {
      lock.lock();
      try {
        change.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
