package dev.pitcrew.operator.testing;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// A rendered DaemonSet and its pods.
public record RenderedPods(DaemonSet daemonSet) {
  public PodSpec pod() {
    return daemonSet.getSpec().getTemplate().getSpec();
  }

  public Map<String, String> labels() {
    return daemonSet.getMetadata().getLabels();
  }

  public Map<String, String> annotations() {
    return daemonSet.getMetadata().getAnnotations();
  }

  public Map<String, String> podLabels() {
    return daemonSet.getSpec().getTemplate().getMetadata().getLabels();
  }

  public Map<String, String> podAnnotations() {
    return daemonSet.getSpec().getTemplate().getMetadata().getAnnotations();
  }

  public Map<String, String> selector() {
    return daemonSet.getSpec().getSelector().getMatchLabels();
  }

  public Map<String, String> nodeSelector() {
    return pod().getNodeSelector();
  }

  /// Type of the update strategy, and with it what may be down: `RollingUpdate 10%`.
  public String updates() {
    var strategy = daemonSet.getSpec().getUpdateStrategy();
    if (strategy == null) {
      return "";
    }
    return strategy.getRollingUpdate() == null
        ? strategy.getType()
        : strategy.getType() + " " + strategy.getRollingUpdate().getMaxUnavailable().getValue();
  }

  public List<String> pullSecrets() {
    return pod().getImagePullSecrets().stream().map(LocalObjectReference::getName).toList();
  }

  public List<String> inits() {
    return pod().getInitContainers().stream().map(Container::getName).toList();
  }

  public List<String> containers() {
    return pod().getContainers().stream().map(Container::getName).toList();
  }

  /// The operand's own container.
  public RenderedContainer main() {
    return new RenderedContainer(pod().getContainers().getFirst());
  }

  public RenderedContainer container(String name) {
    return all()
        .filter(container -> container.container().getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + name + " in " + inits() + containers()));
  }

  public Stream<RenderedContainer> all() {
    return Stream.concat(pod().getInitContainers().stream(), pod().getContainers().stream())
        .map(RenderedContainer::new);
  }

  /// Volume → what it holds: `/a/path`, `configMap x`, `secret x`, `emptyDir`; with `[a b>c]` for
  /// chosen keys and the files that they become.
  public Map<String, String> volumes() {
    var volumes = new LinkedHashMap<String, String>();
    pod().getVolumes().forEach(volume -> volumes.put(volume.getName(), source(volume)));
    return volumes;
  }

  private static String source(Volume volume) {
    if (volume.getHostPath() != null) {
      return volume.getHostPath().getPath();
    }
    if (volume.getSecret() != null) {
      return "secret " + volume.getSecret().getSecretName() + items(volume.getSecret().getItems());
    }
    return volume.getConfigMap() == null
        ? "emptyDir"
        : "configMap " + volume.getConfigMap().getName() + items(volume.getConfigMap().getItems());
  }

  private static String items(List<KeyToPath> items) {
    return items.isEmpty()
        ? ""
        : items.stream()
            .map(item ->
                item.getKey().equals(item.getPath())
                    ? item.getKey()
                    : item.getKey() + ">" + item.getPath())
            .toList()
            .toString();
  }
}
