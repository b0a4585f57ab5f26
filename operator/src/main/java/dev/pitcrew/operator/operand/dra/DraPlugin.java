package dev.pitcrew.operator.operand.dra;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;

import dev.pitcrew.api.Resources;
import dev.pitcrew.api.gpucluster.DraDriverSpec;
import dev.pitcrew.api.gpucluster.HealthcheckSpec;
import dev.pitcrew.api.gpucluster.KubeletPluginSpec;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.ContainerDraft.Propagation;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.MergedResources;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.Probes;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The kubelet plugins of the DRA driver, one container for GPUs and one for compute domains.
enum DraPlugin {
  GPUS("gpus", "gpu-kubelet-plugin", 8080, 51516, 30),
  COMPUTE_DOMAINS("compute-domains", "compute-domain-kubelet-plugin", 8081, 51515, 10);

  private static final String NAME = "nvidia-dra-driver-kubelet-plugin";
  private static final int NO_PORT = -1;

  private static final String DRIVER_DIRECTORY = "driver-install-dir";
  private static final String DRIVER_MOUNT = "/driver-root";
  private static final String VALIDATIONS = "/run/nvidia/validations";

  /// The files of the driver are where its validation has found them. A plugin makes missing device
  /// nodes, unless the driver's parameters forbid it.
  private static final String START =
      """
      set -o allexport
      . /run/nvidia/validations/driver-ready
      set +o allexport
      if [ "$MASK_NVIDIA_DRIVER_PARAMS" = true ]; then
        sed 's/^ModifyDeviceFiles: 1$/ModifyDeviceFiles: 0/' /proc/driver/nvidia/params > /root/params
        mount --bind /root/params /proc/driver/nvidia/params
      fi
      exec %s -v "$LOG_VERBOSITY"
      """;

  private final String container;
  private final String program;
  private final int metricsPort;
  private final int defaultPort;
  private final int livenessSeconds;

  DraPlugin(
      String container, String program, int metricsPort, int defaultPort, int livenessSeconds) {
    this.container = container;
    this.program = program;
    this.metricsPort = metricsPort;
    this.defaultPort = defaultPort;
    this.livenessSeconds = livenessSeconds;
  }

  static DaemonSet daemonSet(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    String kubelet = context.kubeletDirectory();
    DaemonSetDraft draft =
        DaemonSetDraft.of(NAME, Map.of("app", NAME), "dra-driver")
            .labelBoth(DraRights.NAME_LABEL, DraRights.DRIVER)
            .labelBoth(DraRights.COMPONENT_LABEL, NAME)
            .label("app", NAME)
            .serviceAccount(DraRights.PLUGIN)
            .priorityClass(context.priorityClass())
            .updateStrategy(DraValidator.allAtOnce())
            .affinity(
                DraObjects.onNodesWithAny(
                    List.of(
                        Map.entry("feature.node.kubernetes.io/pci-10de.present", "true"),
                        Map.entry("feature.node.kubernetes.io/cpu-model.vendor_id", "NVIDIA"),
                        Map.entry("nvidia.com/gpu.present", "true"))))
            .hostPath("plugins-registry", kubelet + "/plugins_registry", ANY)
            .hostPath("plugins", kubelet + "/plugins", ANY)
            .hostPath("cdi", "/var/run/cdi", ANY)
            .hostPath("host-root", "/", ANY)
            .hostPath(DRIVER_DIRECTORY, context.driverDirectory(), DIRECTORY_OR_CREATE)
            .hostPath("validations", VALIDATIONS, DIRECTORY_OR_CREATE)
            .init(driverValidation(context))
            .container(GPUS.container(context));
    if (driver.computeDomains().isEnabled()) {
      draft.container(COMPUTE_DOMAINS.container(context));
    }
    if (context.isOn("PassthroughSupport")) {
      passthrough(draft);
    }
    draft.pullSecrets(driver.imagePullSecrets());
    return context.finish(draft);
  }

  private KubeletPluginSpec section(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    return switch (this) {
      case GPUS -> driver.gpus().kubeletPlugin();
      case COMPUTE_DOMAINS -> driver.computeDomains().kubeletPlugin();
    };
  }

  /// Of the health service, or a number below zero where there is none.
  int port(DraContext context) {
    HealthcheckSpec health = section(context).healthcheck();
    return health.isEnabled() ? Objects.requireNonNullElse(health.port(), defaultPort) : NO_PORT;
  }

  /// Waits for the driver.
  private static ContainerDraft driverValidation(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    Resources domains =
        driver.computeDomains().isEnabled()
            ? driver.computeDomains().kubeletPlugin().resources()
            : Resources.ABSENT;
    ContainerDraft validation =
        new ContainerDraft("driver-validation")
            .image(context.validatorImage())
            .pullPolicy(driver.imagePullPolicy())
            .command("nvidia-validator")
            .privileged()
            .runAsRoot()
            .env("COMPONENT", "driver")
            .env("WITH_WAIT", "true")
            .env("DRIVER_VALIDATION_SKIP_GPU_INIT", "true")
            .env("DISABLE_DEV_CHAR_SYMLINK_CREATION", "true")
            .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
            .env("HOST_ROOT", "/")
            .env("DRIVER_INSTALL_DIR", context.driverDirectory())
            .env("DRIVER_INSTALL_DIR_CTR_PATH", DRIVER_MOUNT)
            .mountHostRoot()
            .mount(DRIVER_DIRECTORY, DRIVER_MOUNT, Propagation.HOST_TO_CONTAINER)
            .mount("validations", VALIDATIONS);
    MergedResources.largest(List.of(driver.gpus().kubeletPlugin().resources(), domains))
        .ifPresent(validation::resources);
    return validation;
  }

  private ContainerDraft container(DraContext context) {
    DraDriverSpec driver = context.spec().draDriver();
    String registry = context.kubeletDirectory() + "/plugins_registry";
    String plugins = context.kubeletDirectory() + "/plugins";
    String image = context.images().path(context.driverImage());
    var draft =
        new ContainerDraft(container)
            .image(image)
            .pullPolicy(driver.imagePullPolicy())
            .command("bash", "-c")
            .args(START.formatted(program))
            .privileged()
            .env("HTTP_ENDPOINT", ":" + metricsPort)
            .env("METRICS_PATH", "/metrics")
            .env("LOG_VERBOSITY", "4")
            .env("MASK_NVIDIA_DRIVER_PARAMS", "")
            .env("NVIDIA_VISIBLE_DEVICES", "void")
            .env("CDI_ROOT", "/var/run/cdi");
    if (this == GPUS) {
      draft.env("HOST_ROOT", "/host");
    }
    draft
        .env("NVIDIA_MIG_CONFIG_DEVICES", "all")
        .envFromField("NODE_NAME", "spec.nodeName")
        .envFromField("NAMESPACE", "metadata.namespace");
    if (this == GPUS) {
      draft.env("IMAGE_NAME", image);
      pullSecrets(draft, "IMAGE_PULL_SECRETS", driver);
    }
    draft
        .env("KUBELET_REGISTRAR_DIRECTORY_PATH", registry)
        .env("KUBELET_PLUGINS_DIRECTORY_PATH", plugins)
        .env("HEALTHCHECK_PORT", Integer.toString(port(context)));
    if (this == COMPUTE_DOMAINS) {
      draft.env("GPU_CLIQUE_LABEL_ENABLED", "true");
    }
    featureGates(draft, driver);
    OperandSettings.env(draft, section(context).env());
    OperandSettings.resources(draft, section(context).resources());
    if (port(context) > 0) {
      draft.startupProbe(probe(context, 600, 1)).livenessProbe(probe(context, 3, livenessSeconds));
    }
    return draft
        .mount("plugins-registry", registry)
        .mount("plugins", plugins, Propagation.BIDIRECTIONAL)
        .mount("cdi", "/var/run/cdi")
        .mountReadOnly("validations", VALIDATIONS)
        .mountHostRoot()
        .mount(DRIVER_DIRECTORY, DRIVER_MOUNT, Propagation.HOST_TO_CONTAINER);
  }

  private Probe probe(DraContext context, int failures, int seconds) {
    return Probes.grpc(port(context), "liveness")
        .withFailureThreshold(failures)
        .withPeriodSeconds(seconds)
        .withTimeoutSeconds(10)
        .build();
  }

  /// The pods that the driver makes need them as much as its own; the NVIDIA GPU Operator v26.7
  /// hands them on to none.
  static void pullSecrets(ContainerDraft draft, String variable, DraDriverSpec driver) {
    if (!driver.imagePullSecrets().isEmpty()) {
      draft.env(variable, String.join(",", driver.imagePullSecrets()));
    }
  }

  static void featureGates(ContainerDraft draft, DraDriverSpec driver) {
    if (!driver.featureGates().isEmpty()) {
      draft.env(
          "FEATURE_GATES",
          new TreeMap<>(driver.featureGates())
              .entrySet().stream()
                  .map(gate -> gate.getKey() + "=" + gate.getValue())
                  .collect(Collectors.joining(",")));
    }
  }

  /// What GPUs for virtual machines are unbound from their driver with.
  private static void passthrough(DaemonSetDraft draft) {
    draft
        .hostPath("lib-modules", "/lib/modules/", DIRECTORY)
        .hostPath("sysfs", "/sys/", DIRECTORY)
        .hostPath("procfs", "/proc/", DIRECTORY);
    draft
        .find(GPUS.container)
        .mount(
            new VolumeMountBuilder()
                .withName("lib-modules")
                .withMountPath("/lib/modules/")
                .withReadOnly(true)
                .withMountPropagation("HostToContainer")
                .build())
        .mount("sysfs", "/sys/", Propagation.BIDIRECTIONAL)
        .mount("procfs", "/proc/", Propagation.BIDIRECTIONAL);
  }
}
