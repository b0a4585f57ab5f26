package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.core.digest.NameHash;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.PreflightPool.DriverImage;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// The pod that pulls the images of a driver DaemonSet on one node and does nothing else: it gets
/// no right, nothing of the host, and no GPU.
///
/// Its command ends at once. In an image that has no shell it cannot start, which says as well that
/// the image is there.
final class PreflightPods {
  static final String COMPONENT = "nvidia-driver-preflight";
  private static final String COMPONENT_LABEL = "app.kubernetes.io/component";
  static final String LABELS = COMPONENT_LABEL + "=" + COMPONENT;
  private static final String DRIVER = "nvidia-driver-ctr";
  private static final String MANAGER = "k8s-driver-manager";

  /// Most Linux images give it to a user without rights.
  private static final long NOBODY = 65534;

  private PreflightPods() {}

  /// The name of the pod: another where other images, or others by another secret, are pulled.
  static String name(DaemonSet daemonSet) {
    PodSpec template = daemonSet.getSpec().getTemplate().getSpec();
    String what =
        "%s %s %s"
            .formatted(
                containers(template).stream()
                    .map(it -> it.getImage() + " " + it.getImagePullPolicy())
                    .toList(),
                template.getImagePullSecrets(),
                template.getServiceAccountName());
    return daemonSet.getMetadata().getName() + "-preflight-" + NameHash.of(what);
  }

  static Pod pod(DaemonSet daemonSet, String name, String node) {
    PodSpec template = daemonSet.getSpec().getTemplate().getSpec();
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(daemonSet.getMetadata().getNamespace())
        .withLabels(
            Map.of("app", COMPONENT, COMPONENT_LABEL, COMPONENT, NodePodReading.DRAIN_SKIP, "true"))
        .addNewOwnerReference()
        .withApiVersion("apps/v1")
        .withKind("DaemonSet")
        .withName(daemonSet.getMetadata().getName())
        .withUid(daemonSet.getMetadata().getUid())
        .endOwnerReference()
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .withRestartPolicy("Never")
        .withTerminationGracePeriodSeconds(0L)
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withServiceAccountName(template.getServiceAccountName())
        .withImagePullSecrets(template.getImagePullSecrets())
        .withTolerations(template.getTolerations())
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(NOBODY)
        .withRunAsGroup(NOBODY)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .withContainers(containers(template))
        .endSpec()
        .build();
  }

  /// What is pulled, the driver first.
  static List<DriverImage> images(DaemonSet daemonSet) {
    PodSpec template = daemonSet.getSpec().getTemplate().getSpec();
    String purpose = kernel(template).map(it -> "kernel " + it).orElse("");
    return containers(template).stream()
        .map(it ->
            new DriverImage(
                it.getName(),
                it.getImage(),
                it.getName().equals(DRIVER) ? purpose : "",
                remedy(daemonSet, it.getName())))
        .toList();
  }

  /// One container for each image, since each has its own status.
  private static List<Container> containers(PodSpec template) {
    Map<String, Container> byImage = new LinkedHashMap<>();
    Stream.of(
            template.getContainers().stream().filter(it -> it.getName().equals(DRIVER)),
            template.getContainers().stream(),
            Objects.requireNonNullElse(template.getInitContainers(), List.<Container>of()).stream())
        .flatMap(it -> it)
        .forEach(it -> byImage.putIfAbsent(it.getImage(), pulling(it)));
    return List.copyOf(byImage.values());
  }

  private static Container pulling(Container container) {
    return new ContainerBuilder()
        .withName(container.getName())
        .withImage(container.getImage())
        .withImagePullPolicy(container.getImagePullPolicy())
        .withCommand("sh", "-c", "exit 0")
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .build();
  }

  private static String remedy(DaemonSet daemonSet, String container) {
    boolean ofPolicy =
        daemonSet.getMetadata().getOwnerReferences().stream()
            .anyMatch(owner -> owner.getKind().equals("ClusterPolicy"));
    String section = ofPolicy ? "spec.driver" : "spec";
    if (container.equals(MANAGER)) {
      return "publish it, or set %s.manager (repository, image, version, imagePullSecrets)"
          .formatted(section);
    }
    boolean precompiled = kernel(daemonSet.getSpec().getTemplate().getSpec()).isPresent();
    return precompiled && container.equals(DRIVER)
        ? "publish it, set %1$s.version to one that has it, or %1$s.usePrecompiled to false"
            .formatted(section)
        : "publish it, or set %s (repository, image, version, imagePullSecrets)".formatted(section);
  }

  /// The kernel that a precompiled driver is for.
  private static Optional<String> kernel(PodSpec template) {
    return Optional.ofNullable(template.getNodeSelector())
        .map(selector -> selector.get(NodeLabels.KERNEL_VERSION));
  }
}
