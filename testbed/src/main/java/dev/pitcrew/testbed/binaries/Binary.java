package dev.pitcrew.testbed.binaries;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/// A program that the test bed runs.
public enum Binary {
  ETCD("etcd", ToolModule.ETCD, "."),
  KUBE_APISERVER("kube-apiserver", ToolModule.KUBERNETES, "k8s.io/kubernetes/cmd/kube-apiserver"),
  KUBE_CONTROLLER_MANAGER(
      "kube-controller-manager",
      ToolModule.KUBERNETES,
      "k8s.io/kubernetes/cmd/kube-controller-manager"),
  KUBE_SCHEDULER("kube-scheduler", ToolModule.KUBERNETES, "k8s.io/kubernetes/cmd/kube-scheduler"),
  KUBECTL("kubectl", ToolModule.KUBERNETES, "k8s.io/kubernetes/cmd/kubectl"),
  KWOK("kwok", ToolModule.KWOK, "sigs.k8s.io/kwok/cmd/kwok"),
  KUBELET("kubelet", ToolModule.KUBERNETES, "k8s.io/kubernetes/cmd/kubelet"),
  CONTAINERD(
      "containerd", ToolModule.CONTAINERD, "github.com/containerd/containerd/v2/cmd/containerd"),
  CONTAINERD_SHIM(
      "containerd-shim-runc-v2",
      ToolModule.CONTAINERD,
      "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"),
  CTR("ctr", ToolModule.CONTAINERD, "github.com/containerd/containerd/v2/cmd/ctr"),
  CNI_BRIDGE(
      "bridge", ToolModule.CNI, "github.com/containernetworking/plugins/plugins/main/bridge"),
  CNI_HOST_LOCAL(
      "host-local",
      ToolModule.CNI,
      "github.com/containernetworking/plugins/plugins/ipam/host-local"),
  CNI_LOOPBACK(
      "loopback", ToolModule.CNI, "github.com/containernetworking/plugins/plugins/main/loopback"),
  RUNC("runc", ToolModule.RUNC, "github.com/opencontainers/runc"),
  PROMTOOL("promtool", ToolModule.PROMETHEUS, "github.com/prometheus/prometheus/cmd/promtool"),
  CONTAINERD_1_7(
      "containerd", ToolModule.CONTAINERD_1_7, "github.com/containerd/containerd/cmd/containerd"),
  CONTAINERD_SHIM_1_7(
      "containerd-shim-runc-v2",
      ToolModule.CONTAINERD_1_7,
      "github.com/containerd/containerd/cmd/containerd-shim-runc-v2"),
  CTR_1_7("ctr", ToolModule.CONTAINERD_1_7, "github.com/containerd/containerd/cmd/ctr"),
  /// What a node has in place of the programs of NVIDIA's images. Few need it, so it is made where
  /// one does.
  OPERAND("operand", ToolModule.OPERANDS, "."),
  /// Pushes images. `make push` and its test have it made.
  CRANE("crane", ToolModule.CRANE, "github.com/google/go-containerregistry/cmd/crane"),
  /// A registry of images, for the test of `make push`.
  REGISTRY("registry", ToolModule.REGISTRY, ".");

  /// What a control plane runs.
  public static final Set<Binary> FOR_CONTROL_PLANE =
      Collections.unmodifiableSet(EnumSet.range(ETCD, KUBE_SCHEDULER));

  /// What a control plane with simulated nodes needs.
  public static final Set<Binary> FOR_SIMULATED_NODES =
      Collections.unmodifiableSet(EnumSet.range(ETCD, KWOK));

  /// What real nodes need besides.
  public static final Set<Binary> FOR_REAL_NODES =
      Collections.unmodifiableSet(EnumSet.range(KUBELET, RUNC));

  /// The containerd that a node has where it is asked for the former release, in place of the usual
  /// one. Only tests on such nodes need it, so it is made where one starts.
  public static final Set<Binary> OF_CONTAINERD_1_7 =
      Collections.unmodifiableSet(EnumSet.range(CONTAINERD_1_7, CTR_1_7));

  /// What the test of `make push` runs.
  public static final Set<Binary> FOR_PUSHES =
      Collections.unmodifiableSet(EnumSet.of(CRANE, REGISTRY));

  private final String command;
  private final ToolModule module;
  private final String goPackage;

  Binary(String command, ToolModule module, String goPackage) {
    this.command = command;
    this.module = module;
    this.goPackage = goPackage;
  }

  /// All programs of a test bed with simulated nodes, and of one that has real nodes besides.
  public static Set<Binary> forNodes(boolean haveRealNodes) {
    var all = EnumSet.copyOf(FOR_SIMULATED_NODES);
    if (haveRealNodes) {
      all.addAll(FOR_REAL_NODES);
    }
    return all;
  }

  /// The file name that the program has everywhere.
  public String command() {
    return command;
  }

  /// The pinned version, without a leading `v`.
  public String version() {
    return module.version();
  }

  ToolModule module() {
    return module;
  }

  String goPackage() {
    return goPackage;
  }

  /// What to call so that the program prints its version and ends.
  List<String> versionArguments() {
    return switch (this) {
      case KUBECTL -> List.of("version", "--client");
      case CRANE -> List.of("version");
      default -> List.of("--version");
    };
  }

  /// Whether `output`, printed for [#versionArguments()], names the pinned version.
  boolean isNamedIn(String output) {
    return output
        .lines()
        .flatMap(line -> List.of(line.split("\\s+", -1)).stream())
        .anyMatch(word -> word.equals(version()) || word.equals("v" + version()));
  }

  /// Name of the cache folder: it changes with everything that decides what is built, so that
  /// raising a pin can never pick up an old program.
  String cacheKey() {
    var recipe = new StringBuilder(goPackage).append('\n').append(module.linkerFlags());
    recipe.append(module.buildTags());
    module
        .contents()
        .forEach((file, text) -> recipe.append('\n').append(file).append('\n').append(text));
    return "%s-%s-%s".formatted(command, version(), sha256(recipe.toString()).substring(0, 16));
  }

  private static String sha256(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
