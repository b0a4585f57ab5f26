package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.render.AgentImage;
import dev.pitcrew.operator.render.RenderContext;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Replaces the configured driver manager with our own where the agent has the function
/// `driverManager`: the same container in all but image, command, user and last words. It comes
/// after the digest, which keeps the configured image: a change of the manager reloads no driver.
/// The VFIO manager comes from the same image, and neither may do more than they do.
///
/// @param agent in force
public record OwnManagerContainer(AgentSpec agent) {
  public static final OwnManagerContainer OFF = new OwnManagerContainer(AgentSpec.ABSENT);
  private static final String CONFIGURED_IMAGE = "pitcrew.dev/driver-manager-image";
  private static final String VFIO_MANAGER = "nvidia-vfio-manager";

  /// The image of the driver manager that a DaemonSet was configured with, whichever it runs.
  public static Optional<String> configuredImage(DaemonSet daemonSet) {
    return Optional.ofNullable(daemonSet.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(CONFIGURED_IMAGE))
        .or(() -> configured(daemonSet).map(Container::getImage));
  }

  /// With that container in all that have one.
  public List<DaemonSet> in(List<DaemonSet> rendered, RenderContext context) {
    return isOn(context) ? rendered.stream().map(it -> in(it, context)).toList() : rendered;
  }

  /// What pods run under, with the rights that ours use: it evicts no pods.
  public List<HasMetadata> rightsIn(List<HasMetadata> resources, RenderContext context) {
    return isOn(context) ? OwnManagerRights.in(resources) : resources;
  }

  private boolean isOn(RenderContext context) {
    return agent.provides(AgentFunction.DRIVER_MANAGER)
        && AgentImage.problem(agent.image(), context).isEmpty();
  }

  private DaemonSet in(DaemonSet rendered, RenderContext context) {
    var pod = rendered.getSpec().getTemplate().getSpec();
    Optional<Container> configured = configured(rendered);
    if (configured.isEmpty()) {
      return rendered;
    }
    return new DaemonSetBuilder(rendered)
        .editMetadata()
        .addToAnnotations(CONFIGURED_IMAGE, configured.get().getImage())
        .endMetadata()
        .editSpec()
        .editTemplate()
        .editSpec()
        .withInitContainers(
            pod.getInitContainers().stream()
                .map(it -> isManager(it) ? manager(it, context) : it)
                .toList())
        .withContainers(
            pod.getContainers().stream()
                .map(it -> it.getName().equals(VFIO_MANAGER) ? vfioManager(it, context) : it)
                .toList())
        .withImagePullSecrets(pullSecrets(rendered))
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Optional<Container> configured(DaemonSet daemonSet) {
    return daemonSet.getSpec().getTemplate().getSpec().getInitContainers().stream()
        .filter(OwnManagerContainer::isManager)
        .findFirst();
  }

  private static boolean isManager(Container container) {
    return container.getName().equals(DriverManagerContainer.NAME);
  }

  private Container manager(Container configured, RenderContext context) {
    return own(
        configured,
        Stream.concat(Stream.of("driver-manager"), configured.getArgs().stream()).toList(),
        context);
  }

  /// The configured one is a shell that sleeps, and a hook for its end; ours hears of its end
  /// itself.
  private Container vfioManager(Container configured, RenderContext context) {
    return new ContainerBuilder(
            own(configured, List.of("vfio-manage", "bind", "--all", "--until-stopped"), context))
        .withLifecycle(null)
        .build();
  }

  private Container own(Container configured, List<String> arguments, RenderContext context) {
    return new ContainerBuilder(configured)
        .withImage(AgentImage.path(agent.image(), context))
        .withImagePullPolicy(agent.imagePullPolicyOrDefault())
        .withCommand("pitcrew")
        .withArgs(arguments)
        // Its last line says why it cannot go on, and belongs into the pod's status.
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        // The image's own user is not root.
        .editOrNewSecurityContext()
        .withRunAsUser(0L)
        .withRunAsNonRoot(false)
        .endSecurityContext()
        .build();
  }

  private List<LocalObjectReference> pullSecrets(DaemonSet rendered) {
    var already =
        Objects.requireNonNullElse(
            rendered.getSpec().getTemplate().getSpec().getImagePullSecrets(),
            List.<LocalObjectReference>of());
    return Stream.concat(
            already.stream(), agent.imagePullSecrets().stream().map(LocalObjectReference::new))
        .distinct()
        .toList();
  }
}
