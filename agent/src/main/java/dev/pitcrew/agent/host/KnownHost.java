package dev.pitcrew.agent.host;

import static dev.pitcrew.agent.host.HostPart.DRIVER;
import static dev.pitcrew.agent.host.HostPart.RUNTIME;
import static dev.pitcrew.agent.host.HostPart.TOOLKIT;
import static dev.pitcrew.agent.host.Recognition.all;
import static dev.pitcrew.agent.host.Recognition.any;
import static dev.pitcrew.agent.host.Recognition.label;
import static dev.pitcrew.agent.host.Recognition.mark;
import static dev.pitcrew.agent.host.Recognition.os;
import static dev.pitcrew.agent.host.Recognition.provider;
import static dev.pitcrew.agent.host.Recognition.variant;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A host of which something is known that it does not show.
///
/// @param recognition how it is distinguished from others
/// @param leftAlone the parts that are left alone on all such hosts, whatever else is found there,
///   each with the reason
record KnownHost(HostKind kind, Recognition recognition, Map<HostPart, String> leftAlone) {
  /// `/etc` is a tmpfs whose files are rendered from settings at every boot, and editing
  /// `/etc/containerd/config.toml` is not supported (bottlerocket-os/bottlerocket,
  /// SECURITY_FEATURES.md, "Stateless tmpfs for /etc"). Modules, driver and toolkit are those of an
  /// `-nvidia` variant (EKS user guide, "Use EKS-optimized accelerated AMIs for GPU instances").
  private static final KnownHost BOTTLEROCKET =
      new KnownHost(
          HostKind.BOTTLEROCKET,
          os("bottlerocket"),
          Map.of(
              RUNTIME,
              "Bottlerocket's /etc is created again at each boot and its settings API owns containerd",
              TOOLKIT,
              "Bottlerocket's root file system is read-only: the toolkit comes with an -nvidia variant",
              DRIVER,
              "Bottlerocket's root file system is read-only: the driver comes with an -nvidia variant"));

  /// The root is read-only and so is `/etc` (NVIDIA/gpu-operator#2382: "mkdir
  /// /etc/containerd/conf.d: read-only file system"). Driver and runtime handler come with system
  /// extensions, bound to the release (docs.siderolabs.com, "NVIDIA GPU (Proprietary drivers)").
  private static final KnownHost TALOS =
      new KnownHost(
          HostKind.TALOS,
          os("talos"),
          Map.of(
              RUNTIME,
              "Talos' /etc is read-only and its machine configuration owns containerd",
              TOOLKIT,
              "Talos' root file system is read-only: the toolkit comes with a system extension",
              DRIVER,
              "Talos takes kernel modules from system extensions of its release only"));

  /// `/` is read-only, `/etc` a tmpfs, `/var` and `/home` are not executable
  /// (cloud.google.com/container-optimized-os/docs/concepts/disks-and-filesystem). On GKE the
  /// configuration of containerd is GKE's, from the runtime configuration of the node pool
  /// (cloud.google.com/kubernetes-engine/docs/how-to/customize-containerd-configuration). The
  /// driver is that of Google's installer, below `/home/kubernetes/bin/nvidia`: NVIDIA's does not
  /// support this system (docs.nvidia.com, "NVIDIA GPU Operator with Google GKE").
  private static final KnownHost CONTAINER_OPTIMIZED_OS =
      new KnownHost(
          HostKind.CONTAINER_OPTIMIZED_OS,
          os("cos"),
          Map.of(
              RUNTIME,
              "the /etc of Container-Optimized OS is created again at each boot and the configuration of the node pool sets up containerd",
              DRIVER,
              "on Container-Optimized OS Google's installer brings the driver, below /home/kubernetes/bin/nvidia"));

  /// `/usr` is read-only, `/etc` is not. By default containerd reads
  /// `/usr/share/containerd/config.toml` (flatcar.org, "Customizing Docker"), which its command
  /// line shows. The driver comes with `nvidia.service` or a system extension (flatcar.org, "Using
  /// NVIDIA GPUs on Flatcar"); NVIDIA's driver containers know no Flatcar.
  private static final KnownHost FLATCAR =
      new KnownHost(
          HostKind.FLATCAR,
          os("flatcar"),
          Map.of(
              DRIVER,
              "on Flatcar the driver comes with nvidia.service or a system extension of its release"));

  /// `/usr` is read-only, `/etc` is not. `ID` is `rhcos` up to OpenShift 4.18 and `rhel` since 4.19
  /// (kubernetes-sigs/blob-csi-driver#2192), with the variant `coreos` both times.
  private static final KnownHost CORE_OS =
      new KnownHost(
          HostKind.CORE_OS, any(os("rhcos"), all(os("rhel"), variant("coreos"))), Map.of());

  /// Ubuntu, or RHEL with the DGX software, on NVIDIA's machines; `/etc/dgx-release` is of the
  /// package `dgx-release`. Driver and toolkit are installed (docs.nvidia.com/dgx, "DGX OS 6 User
  /// Guide").
  private static final KnownHost DGX_OS =
      new KnownHost(
          HostKind.DGX_OS,
          mark("/etc/dgx-release"),
          Map.of(
              TOOLKIT,
              "DGX OS brings NVIDIA's container toolkit",
              DRIVER,
              "DGX OS brings the driver, and its updates"));

  /// Amazon's images for EKS. nodeadm writes `/etc/containerd/config.toml` at every boot, with a
  /// handler `nvidia` as the default where `/usr/bin/nvidia-container-runtime` is
  /// (awslabs/amazon-eks-ami, nodeadm/internal/containerd). The accelerated ones have the driver.
  private static final KnownHost EKS =
      new KnownHost(
          HostKind.EKS,
          any(label("eks.amazonaws.com/"), all(os("amzn"), provider("aws://"), mark("/etc/eks"))),
          Map.of());

  /// The Ubuntu images of GKE, where either Google's installer or NVIDIA's container brings the
  /// driver (docs.nvidia.com, "NVIDIA GPU Operator with Google GKE").
  private static final KnownHost GKE =
      new KnownHost(HostKind.GKE, label("cloud.google.com/gke-"), Map.of());

  /// The images of AKS. With the driver, which a node pool may do without, comes a configuration of
  /// containerd whose default handler is `nvidia-container-runtime` (Azure/AgentBaker,
  /// aks-node-controller/parser/templates/containerd_v2.toml.gtpl).
  private static final KnownHost AKS =
      new KnownHost(HostKind.AKS, label("kubernetes.azure.com/"), Map.of());

  /// All others: what they show decides.
  private static final KnownHost PLAIN = new KnownHost(HostKind.PLAIN, all(), Map.of());

  /// The first that fits counts; operating systems come before the clouds that offer them.
  private static final List<KnownHost> ALL =
      List.of(
          BOTTLEROCKET,
          TALOS,
          CONTAINER_OPTIMIZED_OS,
          FLATCAR,
          CORE_OS,
          DGX_OS,
          EKS,
          GKE,
          AKS,
          PLAIN);

  KnownHost {
    leftAlone = Map.copyOf(leftAlone);
  }

  static KnownHost of(HostSigns host, NodeMarks node) {
    return ALL.stream()
        .filter(known -> known.recognition.recognises(host, node))
        .findFirst()
        .orElse(PLAIN);
  }

  /// Why a part is left alone on all such hosts; empty where what they show decides.
  Optional<String> leavesAlone(HostPart part) {
    return Optional.ofNullable(leftAlone.get(part));
  }

  /// The files by which some are known.
  static Stream<String> marks() {
    return ALL.stream().flatMap(known -> known.recognition.marks());
  }
}
