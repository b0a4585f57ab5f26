package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A policy and what it has come to. The condition of the FleetPolicy repeats that of the
/// ClusterPolicy.
///
/// @param state `ready`, `notReady`, `ignored`, or empty before the operator has looked at it
/// @param observed whether the status is of the spec as it is now
/// @param namespace of its operands; empty where the status does not say it
/// @param operands how far they are, of a FleetPolicy only
public record Policy(
    Kind kind,
    String name,
    String state,
    boolean observed,
    String namespace,
    List<Condition> conditions,
    List<Operand> operands) {

  /// The kinds by which an administrator says what GPUs are to be managed.
  public enum Kind {
    CLUSTER_POLICY("ClusterPolicy", "/apis/nvidia.com/v1/clusterpolicies"),
    GPU_CLUSTER("GPUCluster", "/apis/nvidia.com/v1alpha1/gpuclusters"),
    FLEET_POLICY("FleetPolicy", "/apis/pitcrew.dev/v1alpha1/fleetpolicies");

    private final String title;
    final String path;

    Kind(String title, String path) {
      this.title = title;
      this.path = path;
    }

    public String title() {
      return title;
    }

    /// As kubectl takes it, such as `clusterpolicy`.
    public String resource() {
      return title.toLowerCase(Locale.ROOT);
    }

    /// @param word singular or plural
    public static Optional<Kind> of(String word) {
      return Arrays.stream(values())
          .filter(it -> it.resource().equals(word) || it.path.endsWith("/" + word))
          .findFirst();
    }
  }

  /// A part of what a policy asks for.
  ///
  /// @param desired on how many nodes it is to run
  public record Operand(String name, String state, long desired, long ready, String message) {
    static Operand of(Json operand) {
      return new Operand(
          operand.at("name").text(),
          operand.at("state").text(),
          operand.at("desired").number(),
          operand.at("ready").number(),
          operand.at("message").text());
    }

    public boolean isNotReady() {
      return state.equals("notReady");
    }
  }

  public static Policy of(Kind kind, Json policy) {
    Json status = policy.at("status");
    String namespace = status.at("namespace").text();
    return new Policy(
        kind,
        policy.at("metadata", "name").text(),
        status.at("state").text(),
        isObserved(policy),
        ObjectNames.isName(namespace) ? namespace : "",
        Condition.all(status.at("conditions")),
        status.at("operands").items().stream().map(Operand::of).toList());
  }

  /// Conditions without a generation are of an operator that does not write it.
  private static boolean isObserved(Json policy) {
    long generation = policy.at("metadata", "generation").number();
    return policy.at("status", "conditions").items().stream()
            .mapToLong(it -> it.at("observedGeneration").number())
            .filter(it -> it > 0)
            .max()
            .orElse(generation)
        >= generation;
  }

  public boolean isReady() {
    return Condition.find(conditions, "Ready").filter(Condition::isTrue).isPresent();
  }

  public boolean isOfFleet() {
    return kind == Kind.FLEET_POLICY;
  }

  public boolean isIgnored() {
    return state.equals("ignored");
  }

  /// As kubectl takes it, such as `clusterpolicy/cluster-policy`.
  public String id() {
    return kind.resource() + "/" + name;
  }

  /// The condition that says how it is: `Error` while that is true, else `Ready`.
  public Optional<Condition> verdict() {
    return Condition.find(conditions, "Error")
        .filter(Condition::isTrue)
        .or(() -> Condition.find(conditions, "Ready"));
  }
}
