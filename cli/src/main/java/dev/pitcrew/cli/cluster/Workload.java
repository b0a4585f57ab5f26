package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.List;
import java.util.Locale;

/// A DaemonSet or Deployment, as far as it has to do with GPUs.
///
/// @param version of its image
/// @param images of its containers
public record Workload(
    String kind, String namespace, String name, Role role, String version, List<String> images) {

  /// What it is for.
  public enum Role {
    NVIDIA_OPERATOR("the NVIDIA GPU Operator"),
    PITCREW("Pitcrew's operator"),
    DEVICE_PLUGIN("another device plugin for GPUs"),
    DRA_DRIVER("NVIDIA's DRA driver"),
    FEATURE_DISCOVERY("node feature discovery"),
    EXPORTER("another exporter of GPU metrics"),
    OTHER("");

    private final String title;

    Role(String title) {
      this.title = title;
    }

    public String title() {
      return title;
    }
  }

  private static final String OPERATOR = "gpu-operator";

  public static Workload of(String kind, Json workload) {
    Json metadata = workload.at("metadata");
    Json pod = workload.at("spec", "template", "spec");
    List<String> images =
        pod.at("containers").items().stream().map(it -> it.at("image").text()).toList();
    String image = images.isEmpty() ? "" : images.getFirst();
    return new Workload(
        kind,
        metadata.at("namespace").text(),
        metadata.at("name").text(),
        role(kind, metadata, pod, image),
        tag(image),
        images);
  }

  /// What an operator has made goes with the operator.
  private static Role role(String kind, Json metadata, Json pod, String image) {
    boolean isOwned =
        metadata.at("ownerReferences").items().stream()
            .anyMatch(it -> it.at("apiVersion").text().startsWith("nvidia.com/"));
    if (isOwned) {
      return Role.OTHER;
    }
    boolean isDeployment = kind.equals("Deployment");
    if (isDeployment && metadata.at("name").text().equals(OPERATOR)) {
      boolean isOurs =
          pod.at("containers").items().stream()
              .flatMap(it -> it.at("env").items().stream())
              .anyMatch(it -> it.at("name").text().equals("PITCREW_IMAGE"));
      return isOurs ? Role.PITCREW : Role.NVIDIA_OPERATOR;
    }
    String name = image.substring(image.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    if (name.startsWith("node-feature-discovery") || name.startsWith("nfd")) {
      return isDeployment ? Role.FEATURE_DISCOVERY : Role.OTHER;
    }
    if (isDeployment) {
      return Role.OTHER;
    }
    if (name.startsWith("k8s-device-plugin") || name.startsWith("nvidia-gpu-device-plugin")) {
      return Role.DEVICE_PLUGIN;
    }
    if (name.startsWith("k8s-dra-driver") || name.startsWith("dra-driver-nvidia")) {
      return Role.DRA_DRIVER;
    }
    return name.startsWith("dcgm-exporter") ? Role.EXPORTER : Role.OTHER;
  }

  /// Which release of Helm, or which tool, has an object; empty where nothing says it.
  static String owner(Json metadata) {
    String release = metadata.at("annotations", "meta.helm.sh/release-name").text();
    if (!release.isEmpty()) {
      return "Helm release %s/%s"
          .formatted(metadata.at("annotations", "meta.helm.sh/release-namespace").text(), release);
    }
    return metadata.at("labels", "app.kubernetes.io/managed-by").text();
  }

  /// Such as `DaemonSet kube-system/nvidia-device-plugin`.
  public String id() {
    return "%s %s/%s".formatted(kind, namespace, name);
  }

  /// As kubectl takes it.
  public String command() {
    return "%s -n %s %s".formatted(kind.toLowerCase(Locale.ROOT), namespace, name);
  }

  private static String tag(String image) {
    String name = image.substring(image.lastIndexOf('/') + 1);
    return name.contains("@") || !name.contains(":") ? "" : name.substring(name.indexOf(':') + 1);
  }
}
