package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.Probes;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;

/// The stand-alone DCGM host engine, which the exporter then asks instead of its own.
public final class Dcgm implements Operand {
  public static final int PORT = 5555;
  static final String NAME = "nvidia-dcgm";
  private static final String CONTAINER = "nvidia-dcgm-ctr";
  private static final Identity IDENTITY = Identity.named(NAME);

  @Override
  public String state() {
    return "state-dcgm";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.dcgm().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(Dcgm::image), SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<>(IDENTITY.objects(namespace));
    objects.addAll(network(NAME, context.facts()));
    return objects;
  }

  /// How exporters reach the engine of their node, also where it gets its GPUs by a claim.
  public static List<HasMetadata> network(String name, ClusterFacts facts) {
    var service =
        Monitoring.service(name, facts.namespace(), "dcgm", PORT)
            .editSpec()
            .withType("ClusterIP")
            .withInternalTrafficPolicy("Local")
            .endSpec()
            .build();
    return facts.isOpenShift()
        ? List.of(
            service,
            OpenShiftConstraint.named(name)
                .withHostNetwork()
                .withHostPorts()
                .object(facts.namespace()))
        : List.of(service);
  }

  /// The engine's container without settings of the user.
  public static ContainerDraft container() {
    return new ContainerDraft(CONTAINER)
        .port("dcgm", PORT)
        .privileged()
        .livenessProbe(Probes.tcp(PORT, 15))
        .readinessProbe(Probes.tcp(PORT, 15));
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().dcgm();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    RuntimeModes.seeGpus(draft, CONTAINER, context);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.dcgm", context.spec().dcgm(), "DCGM_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "dcgm")
        .openShiftConstraint("hostmount-anyuid")
        .init(ValidationContainers.waitForToolkit("run-nvidia", "/run/nvidia"))
        .container(container())
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY);
  }
}
