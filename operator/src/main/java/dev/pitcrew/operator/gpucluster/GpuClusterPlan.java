package dev.pitcrew.operator.gpucluster;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.operand.dra.DraContext;
import dev.pitcrew.operator.operand.dra.DraOperand;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Everything that a GPUCluster asks for, part by part: an error in one does not affect the others.
public record GpuClusterPlan(List<Part> parts) {
  private static final String STATE = "nvidia.com/gpu-operator.state";

  /// Classes stay for as long as the GPUCluster does: a claim names its class until it ends.
  private static final Set<String> KEPT = Set.of("DeviceClass");

  /// One part.
  public sealed interface Part {
    /// As the label `nvidia.com/gpu-operator.state` of its objects has it.
    String state();

    /// @param resources what pods refer to
    /// @param workloads DaemonSets and Deployments
    record Wanted(String state, List<HasMetadata> resources, List<HasMetadata> workloads)
        implements Part {}

    /// Nothing of it is to exist.
    record Disabled(String state) implements Part {}

    /// Bad input: what runs stays as it is until that is fixed.
    record Blocked(String state, Problem problem) implements Part {}
  }

  public static GpuClusterPlan of(DraContext context) {
    return new GpuClusterPlan(
        DraOperand.ALL.stream().map(operand -> part(operand, context)).toList());
  }

  private static Part part(DraOperand operand, DraContext context) {
    String state = operand.state();
    if (!operand.isEnabled(context.spec())) {
      return new Part.Disabled(state);
    }
    return operand
        .problem(context)
        .<Part>map(problem -> new Part.Blocked(state, problem))
        .orElseGet(() ->
            new Part.Wanted(
                state,
                labelled(operand.resources(context), state),
                labelled(operand.workloads(context), state)));
  }

  private static List<HasMetadata> labelled(List<HasMetadata> objects, String state) {
    objects.forEach(object -> {
      Map<String, String> labels =
          new HashMap<>(Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of()));
      labels.put(STATE, state);
      object.getMetadata().setLabels(labels);
    });
    return objects;
  }

  /// What pods refer to.
  public List<HasMetadata> resources() {
    return wanted().flatMap(part -> part.resources().stream()).toList();
  }

  /// DaemonSets and Deployments.
  public List<HasMetadata> workloads() {
    return wanted().flatMap(part -> part.workloads().stream()).toList();
  }

  /// Why parts are not brought, by their names.
  public Map<String, Problem> problems() {
    return parts.stream()
        .flatMap(part -> part instanceof Part.Blocked blocked ? Stream.of(blocked) : Stream.empty())
        .collect(Collectors.toUnmodifiableMap(Part.Blocked::state, Part.Blocked::problem));
  }

  /// Those that nothing asks for any more. NVIDIA's operator leaves most of them behind.
  ///
  /// @param owned all objects of the GPUCluster
  public List<HasMetadata> unwanted(Collection<HasMetadata> owned) {
    Set<ObjectKey> wanted =
        Stream.concat(resources().stream(), workloads().stream())
            .map(ObjectKey::of)
            .collect(Collectors.toSet());
    Set<String> blocked = problems().keySet();
    return owned.stream()
        .filter(object -> !wanted.contains(ObjectKey.of(object)))
        .filter(object -> !KEPT.contains(object.getKind()))
        .filter(object -> object.getMetadata().getDeletionTimestamp() == null)
        .filter(object -> !blocked.contains(state(object)))
        .toList();
  }

  private static String state(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
        .getOrDefault(STATE, "");
  }

  private Stream<Part.Wanted> wanted() {
    return parts.stream()
        .flatMap(part -> part instanceof Part.Wanted wanted ? Stream.of(wanted) : Stream.empty());
  }
}
