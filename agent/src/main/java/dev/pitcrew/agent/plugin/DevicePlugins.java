package dev.pitcrew.agent.plugin;

import dev.pitcrew.agent.sockets.DomainSockets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// All device plugins of a node. Publish what is offered, as often as it changes: a resource that
/// stays keeps its server, a new one gets one, and one that is gone is withdrawn.
public final class DevicePlugins implements AutoCloseable {
  /// The problem of a resource that was never registered yet.
  public static final String NOT_TRIED = "not registered yet";

  private final DomainSockets sockets = new DomainSockets();
  private final Kubelet kubelet;
  private final Map<String, ResourcePlugin> plugins = new ConcurrentHashMap<>();
  private final ReentrantLock publishing = new ReentrantLock();
  private final Runnable onRegistration;
  private final KubeletFolderWatch watch;

  /// @param kubeletFolder such as `/var/lib/kubelet/device-plugins`
  public DevicePlugins(Path kubeletFolder) {
    this(kubeletFolder, () -> {});
  }

  /// @param onRegistration as below
  public DevicePlugins(Path kubeletFolder, Runnable onRegistration) {
    this(KubeletPlace.in(kubeletFolder), onRegistration);
  }

  /// @param onRegistration called, on any thread, whenever [#problems] may answer differently
  public DevicePlugins(KubeletPlace place, Runnable onRegistration) {
    this.kubelet = new Kubelet(place, sockets);
    this.onRegistration = onRegistration;
    this.watch =
        KubeletFolderWatch.start(place, () -> plugins.values().forEach(ResourcePlugin::look));
  }

  /// From now on exactly this is offered. Not on a thread that must not wait: what is gone is
  /// withdrawn before it returns.
  public void publish(List<Offer> offers) throws InterruptedException {
    publishing.lock();
    try {
      Map<String, Offer> wanted = new HashMap<>();
      offers.forEach(offer -> wanted.put(offer.resource().name(), offer));
      wanted.forEach(this::startOrUpdate);
      for (String name : List.copyOf(plugins.keySet())) {
        if (!wanted.containsKey(name)) {
          withdraw(name);
        }
      }
    } finally {
      publishing.unlock();
    }
  }

  private void startOrUpdate(String name, Offer offer) {
    ResourcePlugin running = plugins.get(name);
    if (running == null) {
      plugins.put(name, ResourcePlugin.start(kubelet, sockets, offer, onRegistration));
    } else {
      running.update(offer);
    }
  }

  private void withdraw(String name) throws InterruptedException {
    ResourcePlugin gone = plugins.remove(name);
    if (gone != null) {
      gone.withdraw();
    }
  }

  /// Why the kubelet does not have a resource at the moment, by its name.
  public Map<String, String> problems() {
    Map<String, String> problems = new TreeMap<>();
    plugins.forEach((name, plugin) -> plugin.problem().ifPresent(it -> problems.put(name, it)));
    return problems;
  }

  /// Ends all servers and removes their sockets.
  @Override
  public void close() {
    publishing.lock();
    try {
      watch.close();
      for (ResourcePlugin plugin : plugins.values()) {
        plugin.stop();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.close();
      publishing.unlock();
    }
  }
}
