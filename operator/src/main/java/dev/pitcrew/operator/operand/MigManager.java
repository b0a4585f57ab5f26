package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.node.StandardLayouts;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.PackagedFile;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import dev.pitcrew.operator.render.SectionCheck;
import dev.pitcrew.operator.render.ValidationContainers;
import dev.pitcrew.operator.render.Volumes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Partitions the GPUs of a node by its `nvidia.com/mig.config` label.
final class MigManager implements Operand {
  private static final String NAME = "nvidia-mig-manager";
  private static final String SCRIPT = "nvidia-mig-manager-entrypoint";
  private static final String DEFAULT_LAYOUTS = "default-mig-parted-config";
  private static final String DEFAULT_CLIENTS = "default-gpu-clients";
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .may(
              rule("", "pods", "get", "list", "watch", "delete"),
              rule("", "configmaps", "create", "get", "list", "update", "patch"))
          .mayInCluster(
              rule("", "nodes", "get", "list", "watch", "update", "patch"),
              rule("", "pods", "list"));

  @Override
  public String state() {
    return "state-mig-manager";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.migManager().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(
        SectionCheck.of(MigManager::image),
        SectionCheck.of(ValidationContainers::image),
        MigManager::missingLayouts,
        MigManager::missingClients);
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<>(IDENTITY.objects(namespace));
    if (layouts(context).equals(DEFAULT_LAYOUTS)) {
      objects.add(
          PackagedFile.configMap(
              DEFAULT_LAYOUTS, namespace, Map.of(), Map.of("config.yaml", StandardLayouts.yaml())));
    }
    if (clients(context).equals(DEFAULT_CLIENTS)) {
      objects.add(
          PackagedFile.configMap(
              DEFAULT_CLIENTS, namespace, Map.of(), "clients.yaml", "gpu-clients.yaml"));
    }
    objects.add(
        PackagedFile.configMap(
            SCRIPT, namespace, Map.of("app", NAME), "entrypoint.sh", "mig-manager-entrypoint.sh"));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).withHostPid().withHostIpc().object(namespace));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().migManager();
    var manager = draft.main();
    ValidationContainers.apply(draft, context);
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    RuntimeModes.seeGpus(draft, NAME, context);
    draft.configMap("gpu-clients", clients(context));
    layouts(draft, context);
    draft.hostPath("cdi-root", "/var/run/cdi", DIRECTORY_OR_CREATE);
    if (context.usesCdi()) {
      manager.env("CDI_ENABLED", "true");
      RuntimeModes.cdiHook(context).ifPresent(hook -> manager.env("NVIDIA_CDI_HOOK_PATH", hook));
    }
    OperandSettings.env(manager, section.env());
    return List.of(CommonSettings.finish(draft, context));
  }

  private static String layouts(RenderContext context) {
    return context.spec().migManager().config().reference().orElse(DEFAULT_LAYOUTS);
  }

  private static String clients(RenderContext context) {
    return context.spec().migManager().gpuClientsConfig().reference().orElse(DEFAULT_CLIENTS);
  }

  private static Optional<Problem> missingLayouts(RenderContext context) {
    return References.configMap(
            "spec.migManager.config.name",
            spec -> spec.migManager().config().reference().filter(n -> !n.equals(DEFAULT_LAYOUTS)))
        .problem(context);
  }

  private static Optional<Problem> missingClients(RenderContext context) {
    return References.configMap(
            "spec.migManager.gpuClientsConfig.name",
            spec ->
                spec.migManager()
                    .gpuClientsConfig()
                    .reference()
                    .filter(name -> !name.equals(DEFAULT_CLIENTS)))
        .problem(context);
  }

  /// A file of the user is the only one; our own is the default that the image may add to.
  private static void layouts(DaemonSetDraft draft, RenderContext context) {
    if (context.spec().migManager().config().reference().isPresent()) {
      draft.configMap("mig-parted-config", layouts(context));
      draft.main().env("CONFIG_FILE", "/mig-parted-config/config.yaml");
      return;
    }
    var items = List.of(new KeyToPath("config.yaml", null, "config-default.yaml"));
    draft.volume(Volumes.configMap("mig-parted-config", DEFAULT_LAYOUTS, items));
    draft.main().env("DEFAULT_CONFIG_FILE", "/mig-parted-config/config-default.yaml");
  }

  private static Source image(RenderContext context) {
    return new Source("spec.migManager", context.spec().migManager(), "MIG_MANAGER_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "mig-manager")
        .hostPid()
        .hostIpc()
        .init(
            ValidationContainers.waitFor(
                    "toolkit-validation",
                    "until [ -f /run/nvidia/validations/toolkit-ready ]; do echo waiting for nvidia"
                        + " container toolkit to be setup; sleep 5; done")
                .mount("run-nvidia-validations", "/run/nvidia/validations", HOST_TO_CONTAINER))
        .container(
            new ContainerDraft(NAME)
                .pullPolicy("IfNotPresent")
                .command("/bin/sh", "-c")
                .args("/bin/entrypoint.sh")
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("POD_NAME", "metadata.name")
                .envFromField("POD_NAMESPACE", "metadata.namespace")
                .env("GPU_CLIENTS_FILE", "/gpu-clients/clients.yaml")
                .envFromField("DEFAULT_GPU_CLIENTS_NAMESPACE", "metadata.namespace")
                .privileged()
                .mountFile(SCRIPT, "/bin/entrypoint.sh", "entrypoint.sh")
                .mount("run-nvidia-validations", "/run/nvidia/validations")
                .mount("host-sys", "/sys")
                .mount("host-root", "/host", HOST_TO_CONTAINER)
                .mount("gpu-clients", "/gpu-clients")
                .mount("mig-parted-config", "/mig-parted-config")
                .mount("driver-install-dir", "/driver-root", HOST_TO_CONTAINER)
                .mount("cdi-root", "/var/run/cdi"))
        .script(SCRIPT, 0700)
        .hostPath("host-sys", "/sys", DIRECTORY)
        .hostPath("run-nvidia-validations", "/run/nvidia/validations", DIRECTORY_OR_CREATE)
        .hostPath("driver-install-dir", "/run/nvidia/driver", DIRECTORY_OR_CREATE)
        .hostPath("host-root", "/", ANY);
  }
}
