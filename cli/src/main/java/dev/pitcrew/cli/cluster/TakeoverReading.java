package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Reads what a take-over from the NVIDIA GPU Operator meets.
public final class TakeoverReading {
  private static final String APPS = "/apis/apps/v1/";
  private static final String NVIDIA = "/apis/nvidia.com/v1alpha1/";

  private final ClusterReading cluster;

  public TakeoverReading(ClusterReading cluster) {
    this.cluster = cluster;
  }

  /// What of one object counts here.
  private record Found(
      Workload workload,
      Optional<OperatorDeployment> operator,
      Optional<OperandSet> operand,
      NodeSelection selection,
      String release) {}

  /// Everything that runs pods; what the user may not list is empty.
  ///
  /// @param isWhole whether all of it could be listed
  /// @param discovery Helm releases of node feature discovery, as `namespace/name`
  public record Workloads(
      boolean isWhole,
      List<Workload> gpuSoftware,
      List<OperatorDeployment> operators,
      List<OperandSet> operands,
      List<NodeSelection> selections,
      List<String> discovery) {}

  public Supplier<Workloads> workloads() {
    List<Supplier<Optional<List<Found>>>> lists =
        List.of(
            list(APPS + "deployments", "Deployment"),
            list(APPS + "daemonsets", "DaemonSet"),
            list(APPS + "statefulsets", "StatefulSet"),
            list("/apis/batch/v1/cronjobs", "CronJob"));
    return () -> {
      List<Optional<List<Found>>> read = lists.stream().map(Supplier::get).toList();
      List<Found> all = read.stream().flatMap(Optional::stream).flatMap(List::stream).toList();
      return new Workloads(
          read.stream().allMatch(Optional::isPresent),
          all.stream().map(Found::workload).filter(it -> it.role() != Workload.Role.OTHER).toList(),
          all.stream().flatMap(it -> it.operator().stream()).toList(),
          all.stream().flatMap(it -> it.operand().stream()).toList(),
          all.stream()
              .filter(it -> it.operand().isEmpty())
              .map(Found::selection)
              .filter(it -> !it.labels().isEmpty())
              .toList(),
          all.stream()
              .filter(it -> it.workload().role() == Workload.Role.FEATURE_DISCOVERY)
              .map(Found::release)
              .toList());
    };
  }

  private Supplier<Optional<List<Found>>> list(String path, String kind) {
    return cluster.allIfAny(path, it -> found(kind, it));
  }

  private static Found found(String kind, Json object) {
    Json spec = object.at("spec");
    Json template =
        kind.equals("CronJob") ? spec.at("jobTemplate", "spec", "template") : spec.at("template");
    Workload workload = Workload.of(kind, object);
    boolean isOperator =
        workload.role() == Workload.Role.NVIDIA_OPERATOR
            || workload.role() == Workload.Role.PITCREW;
    Json metadata = object.at("metadata");
    return new Found(
        workload,
        isOperator ? Optional.of(OperatorDeployment.of(object, workload)) : Optional.empty(),
        kind.equals("DaemonSet") && OperandSet.isOne(object)
            ? Optional.of(OperandSet.of(object))
            : Optional.empty(),
        NodeSelection.of(workload.id(), template),
        metadata.at("annotations", "meta.helm.sh/release-namespace").text()
            + "/"
            + OperatorDeployment.release(metadata));
  }

  /// Empty where the user may not list them, or the cluster has none of the kind.
  public Supplier<Optional<List<ReferencePolicy>>> policies() {
    return cluster.allIfAny(Policy.Kind.CLUSTER_POLICY.path, ReferencePolicy::of);
  }

  /// NVIDIADrivers and GPUClusters, such as `NVIDIADriver default: ready`.
  public Supplier<List<String>> others() {
    var drivers = cluster.allIfAny(NVIDIA + "nvidiadrivers", it -> state("NVIDIADriver", it));
    var clusters = cluster.allIfAny(NVIDIA + "gpuclusters", it -> state("GPUCluster", it));
    return () -> {
      var all = new ArrayList<String>();
      Stream.of(drivers, clusters).forEach(it -> it.get().ifPresent(all::addAll));
      return all;
    };
  }

  /// Alerts and dashboards with queries of GPU metrics by the label `Hostname`, such as
  /// `PrometheusRule monitoring/gpus`.
  public Supplier<List<String>> hostnameQueries() {
    var rules =
        cluster.allIfAny(
            "/apis/monitoring.coreos.com/v1/prometheusrules", it -> query("PrometheusRule", it));
    var dashboards =
        cluster.allIfAny(
            "/api/v1/configmaps?labelSelector=grafana_dashboard", it -> query("ConfigMap", it));
    return () ->
        Stream.of(rules, dashboards)
            .flatMap(it -> it.get().stream())
            .flatMap(List::stream)
            .filter(it -> !it.isEmpty())
            .toList();
  }

  /// Empty where it has no such query.
  private static String query(String kind, Json object) {
    String text = object.at(kind.equals("ConfigMap") ? "data" : "spec").value().toString();
    return text.contains("DCGM_FI_") && text.contains("Hostname")
        ? "%s %s/%s"
            .formatted(
                kind,
                object.at("metadata", "namespace").text(),
                object.at("metadata", "name").text())
        : "";
  }

  private static String state(String kind, Json object) {
    String state = object.at("status", "state").text();
    return "%s %s: %s"
        .formatted(
            kind, object.at("metadata", "name").text(), state.isEmpty() ? "no state yet" : state);
  }
}
