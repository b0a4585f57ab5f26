package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.image.StaticProgram;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a pod of the probe program asks for. The scheduler brings it to its node, so that it waits
/// there for what the node does not have yet.
///
/// @param image the probe program's, or another whose last word is `done` too
/// @param limits resources of device plugins, such as `nvidia.com/gpu`, and how many
/// @param files paths that it tries to read
/// @param runtimeClass empty for the node's default
/// @param hostUsers false for a user namespace of the pod's own
/// @param claims names of ResourceClaims whose devices its container gets
public record ProbePodSpec(
    String node,
    String image,
    Map<String, Integer> limits,
    Map<String, String> environment,
    List<String> files,
    Map<String, String> annotations,
    String runtimeClass,
    boolean hostUsers,
    List<String> claims) {
  static final String NAMESPACE = "default";

  public ProbePodSpec {
    limits = Map.copyOf(limits);
    environment = Map.copyOf(environment);
    files = List.copyOf(files);
    annotations = Map.copyOf(annotations);
    claims = List.copyOf(claims);
  }

  /// A pod that asks for nothing.
  public static ProbePodSpec on(RealNode node) {
    return new ProbePodSpec(
        node.name(),
        StaticProgram.PROBE.imageName(),
        Map.of(),
        Map.of(),
        List.of(),
        Map.of(),
        "",
        true,
        List.of());
  }

  public ProbePodSpec withImage(String name) {
    return new ProbePodSpec(
        node, name, limits, environment, files, annotations, runtimeClass, hostUsers, claims);
  }

  public ProbePodSpec withLimit(String resource, int count) {
    return new ProbePodSpec(
        node,
        image,
        with(limits, resource, count),
        environment,
        files,
        annotations,
        runtimeClass,
        hostUsers,
        claims);
  }

  public ProbePodSpec withVariable(String name, String value) {
    return new ProbePodSpec(
        node,
        image,
        limits,
        with(environment, name, value),
        files,
        annotations,
        runtimeClass,
        hostUsers,
        claims);
  }

  public ProbePodSpec withFiles(List<String> paths) {
    return new ProbePodSpec(
        node, image, limits, environment, paths, annotations, runtimeClass, hostUsers, claims);
  }

  public ProbePodSpec withAnnotation(String key, String value) {
    return new ProbePodSpec(
        node,
        image,
        limits,
        environment,
        files,
        with(annotations, key, value),
        runtimeClass,
        hostUsers,
        claims);
  }

  /// @param name of a RuntimeClass that is in the cluster
  public ProbePodSpec withRuntimeClass(String name) {
    return new ProbePodSpec(
        node, image, limits, environment, files, annotations, name, hostUsers, claims);
  }

  /// With `hostUsers: false`: root of the pod is a user of the node without rights.
  public ProbePodSpec withUserNamespace() {
    return new ProbePodSpec(
        node, image, limits, environment, files, annotations, runtimeClass, false, claims);
  }

  /// @param name of a ResourceClaim in the namespace of the pod
  public ProbePodSpec withClaim(String name) {
    var more = Stream.concat(claims.stream(), Stream.of(name)).toList();
    return new ProbePodSpec(
        node, image, limits, environment, files, annotations, runtimeClass, hostUsers, more);
  }

  private static <T> Map<String, T> with(Map<String, T> some, String key, T value) {
    var more = new HashMap<>(some);
    more.put(key, value);
    return more;
  }

  /// As it is given to the API server.
  public Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withGenerateName("probe-")
        .withNamespace(NAMESPACE)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withHostUsers(hostUsers)
        .withRuntimeClassName(runtimeClass.isEmpty() ? null : runtimeClass)
        .withNodeSelector(Map.of("kubernetes.io/hostname", node))
        .withTerminationGracePeriodSeconds(1L)
        .addNewContainer()
        .withName("probe")
        .withImage(image)
        .withImagePullPolicy("Never")
        .withArgs(files)
        .withEnv(variables())
        .withNewResources()
        .withLimits(quantities())
        .withClaims(claims.stream().map(claim -> new ResourceClaim(claim, null)).toList())
        .endResources()
        .endContainer()
        .withResourceClaims(
            claims.stream().map(claim -> new PodResourceClaim(claim, claim, null)).toList())
        .endSpec()
        .build();
  }

  private List<EnvVar> variables() {
    return environment.entrySet().stream()
        .map(variable -> new EnvVar(variable.getKey(), variable.getValue(), null))
        .toList();
  }

  private Map<String, Quantity> quantities() {
    return limits.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, limit -> new Quantity(String.valueOf(limit.getValue()))));
  }
}
