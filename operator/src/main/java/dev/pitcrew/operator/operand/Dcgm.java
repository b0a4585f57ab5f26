package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
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
    objects.add(
        Monitoring.service(NAME, namespace, "dcgm", PORT)
            .editSpec()
            .withType("ClusterIP")
            .withInternalTrafficPolicy("Local")
            .endSpec()
            .build());
    if (context.facts().isOpenShift()) {
      objects.add(
          OpenShiftConstraint.named(NAME).withHostNetwork().withHostPorts().object(namespace));
    }
    return objects;
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
        .container(
            new ContainerDraft(CONTAINER)
                .port("dcgm", PORT)
                .privileged()
                .livenessProbe(Probes.tcp(PORT, 15))
                .readinessProbe(Probes.tcp(PORT, 15)))
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY);
  }
}
