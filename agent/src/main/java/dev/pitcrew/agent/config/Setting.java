package dev.pitcrew.agent.config;

import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.device.sharing.MigStrategy;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// A flag of the table with its type.
record Setting<T>(Flag flag, Kind<T> kind) {
  static final Setting<MigStrategy> MIG_STRATEGY =
      of(
          "mig-strategy",
          Kind.oneOf(
              List.of(MigStrategy.values()), value -> value.name().toLowerCase(Locale.ROOT)));
  static final Setting<Boolean> FAIL_ON_INIT_ERROR = of("fail-on-init-error", Kind.BOOL);
  static final Setting<String> DRIVER_ROOT = of("driver-root", Kind.TEXT);
  static final Setting<String> DEV_ROOT = of("dev-root", Kind.TEXT);
  static final Setting<Boolean> PASS_DEVICE_SPECS = of("pass-device-specs", Kind.BOOL);
  static final Setting<List<DeviceListStrategy>> DEVICE_LIST_STRATEGY =
      of(
          "device-list-strategy",
          Kind.listOf(List.of(DeviceListStrategy.values()), DeviceListStrategy::value));
  static final Setting<DeviceIdStrategy> DEVICE_ID_STRATEGY =
      of(
          "device-id-strategy",
          Kind.oneOf(List.of(DeviceIdStrategy.values()), DeviceIdStrategy::value));
  static final Setting<Boolean> GDRCOPY = of("gdrcopy-enabled", Kind.BOOL);
  static final Setting<Boolean> GDS = of("gds-enabled", Kind.BOOL);
  static final Setting<Boolean> MOFED = of("mofed-enabled", Kind.BOOL);
  static final Setting<String> CDI_ANNOTATION_PREFIX = of("cdi-annotation-prefix", Kind.TEXT);
  static final Setting<String> CDI_HOOK_PATH = of("nvidia-cdi-hook-path", Kind.TEXT);
  static final Setting<String> DRIVER_ROOT_IN_CONTAINER = of("driver-root-ctr-path", Kind.TEXT);
  static final Setting<String> MPS_ROOT = of("mps-root", Kind.TEXT);
  static final Setting<SharedPolicy> SHARED_ALLOCATION_POLICY =
      of(
          "shared-devices-allocation-policy",
          Kind.oneOf(List.of(SharedPolicy.values()), SharedPolicy::value));
  static final Setting<DiscoveryStrategy> DISCOVERY =
      of(
          "device-discovery-strategy",
          Kind.oneOf(List.of(DiscoveryStrategy.values()), DiscoveryStrategy::value)
              .noting(
                  "NVML knows neither GPUs of Tegra boards nor those of virtual machines (vfio-pci), and nothing else is asked"));
  static final Setting<List<Integer>> IMEX_CHANNELS = of("imex-channel-ids", Kind.IMEX_CHANNELS);
  static final Setting<Boolean> IMEX_REQUIRED = of("imex-required", Kind.BOOL);
  static final Setting<String> KUBELET_SOCKET = of("kubelet-socket", Kind.TEXT);
  static final Setting<String> CONFIG_FILE = of("config-file", Kind.TEXT);
  static final Setting<List<String>> CDI_FEATURE_FLAGS = of("cdi-feature-flags", Kind.TEXTS);
  static final Setting<List<String>> CDI_DISABLED_HOOKS = of("cdi-disable-hooks", Kind.TEXTS);
  static final Setting<Boolean> ONESHOT = of("oneshot", Kind.BOOL);
  static final Setting<Boolean> NO_TIMESTAMP = of("no-timestamp", Kind.BOOL);
  static final Setting<SleepInterval> SLEEP_INTERVAL = of("sleep-interval", Kind.INTERVAL);
  static final Setting<String> OUTPUT_FILE = of("output-file", Kind.TEXT);
  static final Setting<String> MACHINE_TYPE_FILE = of("machine-type-file", Kind.TEXT);
  static final Setting<Boolean> USE_NODE_FEATURE_API = of("use-node-feature-api", Kind.BOOL);
  static final Setting<String> KUBECONFIG = of("kubeconfig", Kind.TEXT);
  static final Setting<Double> KUBE_API_QPS = of("kube-api-qps", Kind.DECIMAL);
  static final Setting<Integer> KUBE_API_BURST = of("kube-api-burst", Kind.NUMBER);
  static final Setting<String> NAMESPACE = of("namespace", Kind.TEXT);
  static final Setting<String> NODE_NAME = of("node-name", Kind.TEXT);
  static final Setting<String> POD_NAME = of("pod-name", Kind.TEXT);

  /// Every flag with its type, for what treats all alike.
  static Stream<Setting<?>> all() {
    return Stream.of(
        MIG_STRATEGY,
        FAIL_ON_INIT_ERROR,
        DRIVER_ROOT,
        DEV_ROOT,
        PASS_DEVICE_SPECS,
        DEVICE_LIST_STRATEGY,
        DEVICE_ID_STRATEGY,
        GDRCOPY,
        GDS,
        MOFED,
        CDI_ANNOTATION_PREFIX,
        CDI_HOOK_PATH,
        DRIVER_ROOT_IN_CONTAINER,
        MPS_ROOT,
        SHARED_ALLOCATION_POLICY,
        DISCOVERY,
        IMEX_CHANNELS,
        IMEX_REQUIRED,
        KUBELET_SOCKET,
        CONFIG_FILE,
        CDI_FEATURE_FLAGS,
        CDI_DISABLED_HOOKS,
        ONESHOT,
        NO_TIMESTAMP,
        SLEEP_INTERVAL,
        OUTPUT_FILE,
        MACHINE_TYPE_FILE,
        USE_NODE_FEATURE_API,
        KUBECONFIG,
        KUBE_API_QPS,
        KUBE_API_BURST,
        NAMESPACE,
        NODE_NAME,
        POD_NAME);
  }

  /// The default, which the table must state validly.
  T defaultValue() {
    return kind.parse().apply(kind.shape().fromDefault(flag.defaultText())).orElseThrow();
  }

  private static <T> Setting<T> of(String flag, Kind<T> kind) {
    return new Setting<>(FlagTable.named(flag), kind);
  }
}
