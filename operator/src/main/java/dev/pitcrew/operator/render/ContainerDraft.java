// Long because a container has many fields, and each has its setter.
package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvFromSourceBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LifecycleBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A container while it is being put together. Env entries keep their first position and their last
/// value, which is the merge rule of the custom resources; mounts are keyed by path, so none can be
/// given twice.
public final class ContainerDraft {
  public enum Propagation {
    HOST_TO_CONTAINER("HostToContainer"),
    BIDIRECTIONAL("Bidirectional");

    private final String value;

    Propagation(String value) {
      this.value = value;
    }
  }

  private final String name;
  private final SequencedMap<String, EnvVar> env = new LinkedHashMap<>();
  private final Map<String, VolumeMount> mounts = new LinkedHashMap<>();
  private final List<EnvFromSource> envFrom = new ArrayList<>();
  private final List<ContainerPort> ports = new ArrayList<>();
  private List<String> command = List.of();
  private List<String> args = List.of();
  private SecurityContextBuilder security = new SecurityContextBuilder();
  private @Nullable String image;
  private @Nullable String imagePullPolicy;
  private final List<ResourceClaim> claims = new ArrayList<>();
  private @Nullable ResourceRequirements resources;
  private @Nullable Probe startupProbe;
  private @Nullable Probe livenessProbe;
  private @Nullable Probe readinessProbe;
  private List<String> preStop = List.of();

  public ContainerDraft(String name) {
    this.name = name;
  }

  public String name() {
    return name;
  }

  public ContainerDraft image(String path) {
    this.image = path;
    return this;
  }

  public String image() {
    return image == null ? "" : image;
  }

  /// An empty policy leaves what is there; an unknown one means `IfNotPresent`.
  public ContainerDraft pullPolicy(@Nullable String policy) {
    if (policy != null && !policy.isEmpty()) {
      this.imagePullPolicy =
          List.of("Always", "Never", "IfNotPresent").contains(policy) ? policy : "IfNotPresent";
    }
    return this;
  }

  public ContainerDraft command(String... words) {
    this.command = List.of(words);
    return this;
  }

  public ContainerDraft args(String... words) {
    this.args = List.of(words);
    return this;
  }

  /// Arguments of the user replace ours; none leaves ours.
  public ContainerDraft argsIfAny(List<String> words) {
    if (!words.isEmpty()) {
      this.args = List.copyOf(words);
    }
    return this;
  }

  public ContainerDraft env(String key, String value) {
    env.put(key, new EnvVar(key, value, null));
    return this;
  }

  /// The same before all others.
  public ContainerDraft envFirst(String key, String value) {
    env.putFirst(key, new EnvVar(key, value, null));
    return this;
  }

  public ContainerDraft env(Map<String, String> values) {
    values.forEach(this::env);
    return this;
  }

  public ContainerDraft envFromField(String key, String fieldPath) {
    env.put(
        key,
        new EnvVarBuilder()
            .withName(key)
            .withNewValueFrom()
            .withNewFieldRef()
            .withFieldPath(fieldPath)
            .endFieldRef()
            .endValueFrom()
            .build());
    return this;
  }

  public ContainerDraft envFromSecret(String secret) {
    envFrom.add(
        new EnvFromSourceBuilder().withNewSecretRef().withName(secret).endSecretRef().build());
    return this;
  }

  /// The env entries in their order.
  public List<EnvVar> env() {
    return List.copyOf(env.values());
  }

  public List<VolumeMount> mounts() {
    return List.copyOf(mounts.values());
  }

  public List<EnvFromSource> envFrom() {
    return List.copyOf(envFrom);
  }

  public List<String> command() {
    return command;
  }

  public List<String> args() {
    return args;
  }

  /// The plain value of an env entry, or `fallback` where there is none.
  public String envValue(String key, String fallback) {
    EnvVar entry = env.get(key);
    return entry == null || entry.getValue() == null ? fallback : entry.getValue();
  }

  public ContainerDraft mount(String volume, String path) {
    return mount(new VolumeMountBuilder().withName(volume).withMountPath(path).build());
  }

  public ContainerDraft mount(String volume, String path, Propagation propagation) {
    return mount(
        new VolumeMountBuilder()
            .withName(volume)
            .withMountPath(path)
            .withMountPropagation(propagation.value)
            .build());
  }

  public ContainerDraft mountReadOnly(String volume, String path) {
    return mount(
        new VolumeMountBuilder().withName(volume).withMountPath(path).withReadOnly(true).build());
  }

  /// One file of a volume, read-only.
  public ContainerDraft mountFile(String volume, String path, String subPath) {
    return mount(
        new VolumeMountBuilder()
            .withName(volume)
            .withMountPath(path)
            .withSubPath(subPath)
            .withReadOnly(true)
            .build());
  }

  public ContainerDraft mount(VolumeMount mount) {
    mounts.put(mount.getMountPath(), mount);
    return this;
  }

  /// The host's root file system, read-only, at `/host`.
  public ContainerDraft mountHostRoot() {
    return mount(
        new VolumeMountBuilder()
            .withName("host-root")
            .withMountPath("/host")
            .withReadOnly(true)
            .withMountPropagation(Propagation.HOST_TO_CONTAINER.value)
            .build());
  }

  /// Moves the mounts of a volume to another path, and leaves them at their place in the list.
  public ContainerDraft moveMount(String volume, String path) {
    List<VolumeMount> all = mounts();
    mounts.clear();
    all.forEach(it ->
        mount(
            it.getName().equals(volume)
                ? new VolumeMountBuilder(it).withMountPath(path).build()
                : it));
    return this;
  }

  public ContainerDraft port(String portName, int number) {
    ports.add(new ContainerPortBuilder().withName(portName).withContainerPort(number).build());
    return this;
  }

  public ContainerDraft privileged() {
    security.withPrivileged(true);
    return this;
  }

  /// The SELinux level that every container on the node may read.
  public ContainerDraft sharedSelinuxLevel() {
    security.withNewSeLinuxOptions().withLevel("s0").endSeLinuxOptions();
    return this;
  }

  public ContainerDraft runAsRoot() {
    return runAsUser(0);
  }

  public ContainerDraft runAsUser(long user) {
    security.withRunAsUser(user);
    return this;
  }

  /// What the Pod Security Standard `restricted` asks for, and no file that can be written.
  public ContainerDraft restricted() {
    security
        .withRunAsNonRoot(true)
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile();
    return this;
  }

  public ContainerDraft resources(ResourceRequirements requirements) {
    this.resources = requirements;
    return this;
  }

  /// Gives the container the devices of a claim of its pod.
  public ContainerDraft claim(String claim) {
    claims.add(new ResourceClaim(claim, null));
    return this;
  }

  private @Nullable ResourceRequirements resourcesWithClaims() {
    return claims.isEmpty()
        ? resources
        : new ResourceRequirementsBuilder(
                resources == null ? new ResourceRequirements() : resources)
            .withClaims(claims)
            .build();
  }

  public ContainerDraft startupProbe(Probe probe) {
    this.startupProbe = probe;
    return this;
  }

  public ContainerDraft withoutStartupProbe() {
    this.startupProbe = null;
    return this;
  }

  /// Changes the startup probe that the shape has given the container.
  public ContainerDraft editStartupProbe(UnaryOperator<Probe> change) {
    if (startupProbe != null) {
      this.startupProbe = change.apply(startupProbe);
    }
    return this;
  }

  public ContainerDraft livenessProbe(Probe probe) {
    this.livenessProbe = probe;
    return this;
  }

  public ContainerDraft readinessProbe(Probe probe) {
    this.readinessProbe = probe;
    return this;
  }

  public ContainerDraft preStop(String... words) {
    this.preStop = List.of(words);
    return this;
  }

  public Container build() {
    SecurityContext context = security.build();
    var builder =
        new ContainerBuilder()
            .withName(name)
            .withImage(image)
            .withImagePullPolicy(imagePullPolicy)
            .withCommand(command)
            .withArgs(args)
            .withEnv(List.copyOf(env.values()))
            .withEnvFrom(envFrom)
            .withPorts(ports)
            .withVolumeMounts(List.copyOf(mounts.values()))
            .withResources(resourcesWithClaims())
            .withStartupProbe(startupProbe)
            .withLivenessProbe(livenessProbe)
            .withReadinessProbe(readinessProbe)
            .withSecurityContext(context.equals(new SecurityContext()) ? null : context);
    if (!preStop.isEmpty()) {
      builder.withLifecycle(
          new LifecycleBuilder()
              .withNewPreStop()
              .withNewExec()
              .withCommand(preStop)
              .endExec()
              .endPreStop()
              .build());
    }
    return builder.build();
  }
}
