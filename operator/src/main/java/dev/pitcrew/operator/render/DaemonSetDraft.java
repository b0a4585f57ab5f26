// Long because it is one vocabulary: a short method for each thing that a shape or setting can say.
package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A DaemonSet while it is being put together: the operand's shape first, then settings laid over
/// it by name.
public final class DaemonSetDraft {
  public static final String DIRECTORY = "Directory";
  public static final String DIRECTORY_OR_CREATE = "DirectoryOrCreate";
  public static final String FILE = "File";
  public static final String FILE_OR_CREATE = "FileOrCreate";
  public static final String ANY = "";

  private final Map<String, String> labels = new LinkedHashMap<>();
  private final Map<String, String> annotations = new LinkedHashMap<>();
  private final Map<String, String> selector = new LinkedHashMap<>();
  private final Map<String, String> podLabels = new LinkedHashMap<>();
  private final Map<String, String> podAnnotations = new LinkedHashMap<>();
  private final Map<String, String> nodeSelector = new LinkedHashMap<>();
  private final Map<String, Volume> volumes = new LinkedHashMap<>();
  private final Map<String, LocalObjectReference> pullSecrets = new LinkedHashMap<>();
  private final Map<String, ContainerDraft> initContainers = new LinkedHashMap<>();
  private final Map<String, ContainerDraft> containers = new LinkedHashMap<>();
  private final PodSpecBuilder pod = new PodSpecBuilder();
  private String name;
  private @Nullable DaemonSetUpdateStrategy updateStrategy;
  private boolean hostPid;

  private DaemonSetDraft(String name) {
    this.name = name;
  }

  /// A DaemonSet whose pods are known by `selector` and run on the nodes that carry
  /// `nvidia.com/gpu.deploy.<deployLabel>`.
  public static DaemonSetDraft of(String name, Map<String, String> selector, String deployLabel) {
    var draft = new DaemonSetDraft(name);
    draft.selector.putAll(selector);
    draft.podLabels.putAll(selector);
    draft.nodeSelector.put("nvidia.com/gpu.deploy." + deployLabel, "true");
    draft.pod.withServiceAccountName(name);
    return draft;
  }

  /// A DaemonSet for every Linux node, labelled and selected by `app=<name>`.
  public static DaemonSetDraft onEveryNode(String name) {
    var draft = new DaemonSetDraft(name);
    draft.selector.put("app", name);
    draft.podLabels.put("app", name);
    draft.nodeSelector.put("kubernetes.io/os", "linux");
    draft.pod.withServiceAccountName(name);
    return draft.label("app", name);
  }

  /// The usual case: labelled and selected by `app=<name>`.
  public static DaemonSetDraft ofApp(String name, String deployLabel) {
    return of(name, Map.of("app", name), deployLabel).label("app", name);
  }

  public String name() {
    return name;
  }

  public DaemonSetDraft rename(String newName) {
    this.name = newName;
    return this;
  }

  /// Renames the value of the `app` label everywhere, so that the DaemonSet keeps selecting its own
  /// pods only.
  public DaemonSetDraft renameApp(String app) {
    labels.put("app", app);
    selector.put("app", app);
    podLabels.put("app", app);
    return this;
  }

  /// Whether its pods are known by this label.
  public boolean isSelectedBy(String key) {
    return selector.containsKey(key);
  }

  public DaemonSetDraft label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  public DaemonSetDraft annotation(String key, String value) {
    annotations.put(key, value);
    return this;
  }

  /// The security context constraint that OpenShift shall use.
  public DaemonSetDraft openShiftConstraint(String constraint) {
    return annotation("openshift.io/scc", constraint);
  }

  public DaemonSetDraft podLabel(String key, String value) {
    podLabels.put(key, value);
    return this;
  }

  /// On the DaemonSet and on its pods.
  public DaemonSetDraft labelBoth(String key, String value) {
    return label(key, value).podLabel(key, value);
  }

  public DaemonSetDraft podAnnotation(String key, String value) {
    podAnnotations.put(key, value);
    return this;
  }

  public DaemonSetDraft onNodesWith(String key, String value) {
    nodeSelector.put(key, value);
    return this;
  }

  public DaemonSetDraft serviceAccount(String account) {
    pod.withServiceAccountName(account);
    return this;
  }

  public DaemonSetDraft automountToken(boolean automount) {
    pod.withAutomountServiceAccountToken(automount);
    return this;
  }

  public DaemonSetDraft hostPid() {
    this.hostPid = true;
    pod.withHostPID(true);
    return this;
  }

  public boolean usesHostPid() {
    return hostPid;
  }

  public DaemonSetDraft hostIpc() {
    pod.withHostIPC(true);
    return this;
  }

  public DaemonSetDraft hostNetwork(boolean wanted) {
    if (wanted) {
      pod.withHostNetwork(true).withDnsPolicy("ClusterFirstWithHostNet");
    }
    return this;
  }

  public DaemonSetDraft shareProcesses() {
    pod.withShareProcessNamespace(true);
    return this;
  }

  public DaemonSetDraft runtimeClass(String runtimeClass) {
    pod.withRuntimeClassName(runtimeClass);
    return this;
  }

  public Optional<String> runtimeClass() {
    return Optional.ofNullable(pod.getRuntimeClassName());
  }

  public DaemonSetDraft terminationGraceSeconds(long seconds) {
    pod.withTerminationGracePeriodSeconds(seconds);
    return this;
  }

  public DaemonSetDraft affinity(Affinity affinity) {
    pod.withAffinity(affinity);
    return this;
  }

  public DaemonSetDraft updateStrategy(DaemonSetUpdateStrategy strategy) {
    this.updateStrategy = strategy;
    return this;
  }

  public DaemonSetDraft priorityClass(String priorityClass) {
    pod.withPriorityClassName(priorityClass);
    return this;
  }

  /// Whether the pods have this very toleration.
  boolean tolerates(Toleration toleration) {
    return pod.buildTolerations().contains(toleration);
  }

  /// Tolerations besides those that are there.
  public DaemonSetDraft addTolerations(List<Toleration> tolerations) {
    pod.addAllToTolerations(tolerations);
    return this;
  }

  public DaemonSetDraft tolerations(List<Toleration> tolerations) {
    pod.withTolerations(tolerations);
    return this;
  }

  /// A claim of each pod, made from a ResourceClaimTemplate of the namespace.
  public DaemonSetDraft resourceClaim(String claim, String template) {
    pod.addNewResourceClaim()
        .withName(claim)
        .withResourceClaimTemplateName(template)
        .endResourceClaim();
    return this;
  }

  public DaemonSetDraft podSecurity(PodSecurityContext context) {
    pod.withSecurityContext(context);
    return this;
  }

  /// Appends the pull secrets that are not there yet.
  public DaemonSetDraft pullSecrets(List<String> names) {
    names.forEach(secret -> pullSecrets.putIfAbsent(secret, new LocalObjectReference(secret)));
    return this;
  }

  /// A volume that is a path of the host; a path given twice under one name takes the last.
  public DaemonSetDraft hostPath(String volume, String path, String type) {
    return volume(Volumes.hostPath(volume, path, type));
  }

  /// Points an existing host path volume at another path and keeps its type.
  public DaemonSetDraft moveHostPath(String volume, String path) {
    hostPathOf(volume)
        .ifPresent(at -> hostPath(volume, path, at.getType() == null ? ANY : at.getType()));
    return this;
  }

  public Optional<HostPathVolumeSource> hostPathOf(String volume) {
    return Optional.ofNullable(volumes.get(volume)).map(Volume::getHostPath);
  }

  public DaemonSetDraft configMap(String volume, String configMap) {
    return volume(Volumes.configMap(volume, configMap, List.of()));
  }

  /// A ConfigMap with a script; `mode` is the file mode, for example `0700`.
  public DaemonSetDraft script(String configMap, int mode) {
    return volume(Volumes.script(configMap, configMap, mode));
  }

  public DaemonSetDraft volume(Volume volume) {
    volumes.put(volume.getName(), volume);
    return this;
  }

  public List<Volume> volumes() {
    return List.copyOf(volumes.values());
  }

  public DaemonSetDraft init(ContainerDraft container) {
    initContainers.put(container.name(), container);
    return this;
  }

  public DaemonSetDraft container(ContainerDraft container) {
    containers.put(container.name(), container);
    return this;
  }

  /// The draft of a container or init container that the shape is known to have.
  public ContainerDraft find(String container) {
    ContainerDraft found = containers.getOrDefault(container, initContainers.get(container));
    if (found == null) {
      throw new IllegalStateException(name + " has no container " + container);
    }
    return found;
  }

  public boolean has(String container) {
    return containers.containsKey(container) || initContainers.containsKey(container);
  }

  public DaemonSetDraft remove(String container) {
    containers.remove(container);
    initContainers.remove(container);
    return this;
  }

  /// The first regular container: the operand itself.
  public ContainerDraft main() {
    return containers.values().iterator().next();
  }

  public List<ContainerDraft> initContainers() {
    return List.copyOf(initContainers.values());
  }

  public Stream<ContainerDraft> allContainers() {
    return Stream.concat(initContainers.values().stream(), containers.values().stream());
  }

  /// Requests and limits for every regular container, side-cars included.
  public DaemonSetDraft resources(ResourceRequirements requirements) {
    containers.values().forEach(container -> container.resources(requirements));
    return this;
  }

  public DaemonSet build(String namespace) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(labels)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(selector)
        .endSelector()
        .withUpdateStrategy(updateStrategy)
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(podLabels)
        .withAnnotations(podAnnotations)
        .endMetadata()
        .withSpec(
            pod.withNodeSelector(nodeSelector)
                .withImagePullSecrets(List.copyOf(pullSecrets.values()))
                .withVolumes(volumes())
                .withInitContainers(
                    initContainers.values().stream().map(ContainerDraft::build).toList())
                .withContainers(containers.values().stream().map(ContainerDraft::build).toList())
                .build())
        .endTemplate()
        .endSpec()
        .build();
  }
}
