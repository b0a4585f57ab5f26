package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.BIDIRECTIONAL;
import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.PackagedFile;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Sets the container runtime of a node up for GPUs.
final class ContainerToolkit implements Operand {
  private static final String NAME = "nvidia-container-toolkit-daemonset";
  private static final String SCRIPT = "nvidia-container-toolkit-entrypoint";
  private static final String ENTRY = "/bin/entrypoint.sh";
  private static final Identity IDENTITY =
      Identity.named("nvidia-container-toolkit").may(rule("apps", "daemonsets", "list"));

  @Override
  public String state() {
    return "state-container-toolkit";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.toolkit().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(ContainerToolkit::image), SectionCheck.of(ValidationContainers::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var objects = new ArrayList<>(IDENTITY.objects(context.namespace()));
    objects.add(
        PackagedFile.configMap(
            SCRIPT,
            context.namespace(),
            Map.of("app", NAME),
            "entrypoint.sh",
            "container-toolkit-entrypoint.sh"));
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().toolkit();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    arguments(draft.main(), section.args());
    mode(draft.main(), context);
    directories(draft, context);
    OperandSettings.env(draft.main(), section.env());
    draft.main().env("RUNTIME", context.facts().runtime().id());
    ToolkitRuntimePaths.apply(draft, context);
    return List.of(CommonSettings.finish(draft, context));
  }

  private static Source image(RenderContext context) {
    return new Source("spec.toolkit", context.spec().toolkit(), "CONTAINER_TOOLKIT_IMAGE");
  }

  /// The entry script hands arguments on to the toolkit.
  private static void arguments(ContainerDraft toolkit, List<String> given) {
    var words = new ArrayList<>(List.of(given.isEmpty() ? ENTRY : ENTRY + " \"$@\""));
    if (!given.isEmpty()) {
      words.add(ENTRY);
      words.addAll(given);
    }
    toolkit.args(words.toArray(String[]::new));
  }

  private static void mode(ContainerDraft toolkit, RenderContext context) {
    if (context.usesCdi()) {
      toolkit
          .env("CDI_ENABLED", "true")
          .env("NVIDIA_RUNTIME_SET_AS_DEFAULT", "false")
          .env("NVIDIA_CONTAINER_RUNTIME_MODE", "cdi")
          .env("CRIO_CONFIG_MODE", "config");
      if (context.usesNri()) {
        toolkit.env("ENABLE_NRI_PLUGIN", "true");
      }
    } else if (context.facts().runtime() == ContainerRuntime.CRIO) {
      toolkit.env("CRIO_CONFIG_MODE", "hook");
    }
  }

  private static void directories(DaemonSetDraft draft, RenderContext context) {
    String directory = RuntimeModes.toolkitDirectory(context);
    if (!directory.equals("/usr/local/nvidia")) {
      draft.moveHostPath("toolkit-install-dir", directory);
      draft.main().env("ROOT", directory).moveMount("toolkit-install-dir", directory);
    }
    if (!context.facts().isOpenShift() && context.facts().runtime() == ContainerRuntime.CRIO) {
      draft.moveHostPath("crio-hooks", "/usr/share/containers/oci/hooks.d");
    }
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "container-toolkit")
        .openShiftConstraint("hostmount-anyuid")
        .serviceAccount(IDENTITY.name())
        .hostPid()
        .init(
            ValidationContainers.validator("driver-validation", "driver", true)
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
                .pullPolicy("IfNotPresent")
                .sharedSelinuxLevel()
                .mount("driver-install-dir", "/run/nvidia/driver", HOST_TO_CONTAINER)
                .mount("run-nvidia-validations", "/run/nvidia/validations", BIDIRECTIONAL)
                .mountHostRoot()
                .mount("host-dev-char", "/host-dev-char"))
        .container(
            new ContainerDraft("nvidia-container-toolkit-ctr")
                .pullPolicy("IfNotPresent")
                .command("/bin/sh", "-c")
                .args(ENTRY)
                .env("ROOT", "/usr/local/nvidia")
                .env("NVIDIA_CONTAINER_RUNTIME_MODES_CDI_DEFAULT_KIND", "management.nvidia.com/gpu")
                .env("NVIDIA_VISIBLE_DEVICES", "void")
                .env("TOOLKIT_PID_FILE", "/run/nvidia/toolkit/toolkit.pid")
                .envFromField("NRI_NAMESPACE", "metadata.namespace")
                .privileged()
                .sharedSelinuxLevel()
                .mountFile(SCRIPT, ENTRY, "entrypoint.sh")
                .mount("toolkit-root", "/run/nvidia/toolkit")
                .mount("run-nvidia-validations", "/run/nvidia/validations")
                .mount("toolkit-install-dir", "/usr/local/nvidia")
                .mount("crio-hooks", "/usr/share/containers/oci/hooks.d")
                .mount("driver-install-dir", "/driver-root", HOST_TO_CONTAINER)
                .mountHostRoot()
                .mount("cdi-root", "/var/run/cdi"))
        .script(SCRIPT, 0700)
        .hostPath("toolkit-root", "/run/nvidia/toolkit", DIRECTORY_OR_CREATE)
        .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
        .hostPath("driver-install-dir", "/run/nvidia/driver", DIRECTORY_OR_CREATE)
        .hostPath("host-root", "/", ANY)
        .hostPath("toolkit-install-dir", "/usr/local/nvidia", ANY)
        .hostPath("crio-hooks", "/run/containers/oci/hooks.d", ANY)
        .hostPath("host-dev-char", "/dev/char", ANY)
        .hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE);
  }
}
