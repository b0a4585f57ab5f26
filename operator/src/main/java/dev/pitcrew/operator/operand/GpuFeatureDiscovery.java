package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.Identity.READ_NODES;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.MigStrategy;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.PluginConfiguration;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Labels nodes with what their GPUs are.
final class GpuFeatureDiscovery implements Operand {
  private static final String NAME = "gpu-feature-discovery";
  private static final String ACCOUNT = "nvidia-gpu-feature-discovery";
  private static final Map<String, String> SELECTOR =
      Map.of("app", NAME, "app.kubernetes.io/part-of", "nvidia-gpu");
  private static final Identity IDENTITY =
      Identity.named(ACCOUNT)
          .may(
              rule("nfd.k8s-sigs.io", "nodefeatures", "get", "list", "watch", "create", "update"),
              rule("", "pods", "get"))
          .mayInCluster(READ_NODES);

  @Override
  public String state() {
    return "gpu-feature-discovery";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.gfd().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(GpuFeatureDiscovery::image),
        SectionCheck.of(ValidationContainers::image),
        SectionCheck.of(PluginConfiguration::image),
        PluginConfiguration::problem);
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(ACCOUNT).withHostPid().object(context.namespace()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().gfd();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    if (context.facts().isOpenShift()) {
      draft.main().env("USE_NODE_FEATURE_API", "false");
    }
    OperandSettings.env(draft.main(), section.env());
    PluginConfiguration.apply(draft, section, context);
    RuntimeModes.seeGpus(draft, NAME, context);
    MigStrategy.apply(draft.main(), context);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.gfd", context.spec().gfd(), "GFD_IMAGE");
  }

  private static DaemonSetDraft shape() {
    var draft =
        DaemonSetDraft.of(NAME, SELECTOR, "gpu-feature-discovery")
            .label("app", NAME)
            .label("app.kubernetes.io/part-of", "nvidia-gpu")
            .serviceAccount(ACCOUNT)
            .init(ValidationContainers.waitForToolkit("run-nvidia", "/run/nvidia"))
            .container(
                new ContainerDraft(NAME)
                    .command("gpu-feature-discovery")
                    .env("GFD_SLEEP_INTERVAL", "60s")
                    .env("GFD_FAIL_ON_INIT_ERROR", "true")
                    .envFromField("NAMESPACE", "metadata.namespace")
                    .envFromField("NODE_NAME", "spec.nodeName")
                    .envFromField("POD_NAME", "metadata.name")
                    .privileged()
                    .mount("output-dir", "/etc/kubernetes/node-feature-discovery/features.d")
                    .mountReadOnly("host-sys", "/sys"))
            .hostPath("output-dir", "/etc/kubernetes/node-feature-discovery/features.d", ANY)
            .hostPath("host-sys", "/sys", ANY)
            .hostPath("run-nvidia", "/run/nvidia", DIRECTORY);
    PluginConfiguration.shape(draft, NAME);
    return draft;
  }
}
