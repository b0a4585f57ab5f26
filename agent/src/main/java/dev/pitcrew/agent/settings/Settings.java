package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.settings.FunctionState.On;
import dev.pitcrew.agent.validation.plan.Wanted;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What runs on this node, and how. Equal settings ask for nothing new.
///
/// @param functions the state of each; one that is missing is off
/// @param plugin what the device plugin and CDI run with; empty where neither is wanted, or nothing
///   right was ever said
/// @param labels what GPU labels are made with, likewise
/// @param xids which Xids make a device unhealthy
/// @param health what happens to a GPU that is not well
/// @param configMap the ConfigMap of device plugin configurations to watch, in the operator's
///   namespace
/// @param counters which counters the metrics show
/// @param containers which containers get devices while they are created, and how
/// @param driverFolder where driver containers put the driver on the host
/// @param deviceNodes which of the driver's device nodes are made
/// @param checksCuda whether every GPU is to prove that it computes
/// @param wanted what a validation expects of the node
/// @param exporter the variables of the metrics exporter
/// @param mig how its GPUs are divided
/// @param dra what claims can ask for
/// @param servesDomains whether they can ask for ComputeDomains
/// @param problems what was said and is not in force
public record Settings(
    Map<NodeFunction, FunctionState> functions,
    Optional<InForce> plugin,
    Optional<InForce> labels,
    XidPolicy xids,
    HealthSettings health,
    Optional<String> configMap,
    ContainerSettings containers,
    String driverFolder,
    DeviceNodeSettings deviceNodes,
    boolean checksCuda,
    Wanted wanted,
    Map<String, String> exporter,
    MigSettings mig,
    FeatureSwitches dra,
    boolean servesDomains,
    CounterSettings counters,
    List<SettingsProblem> problems) {
  private static final FunctionState UNSAID = new FunctionState.Off("nothing is known of it");

  public Settings {
    var ordered = new EnumMap<NodeFunction, FunctionState>(NodeFunction.class);
    ordered.putAll(functions);
    functions = Collections.unmodifiableMap(ordered);
    exporter = Map.copyOf(exporter);
    problems = List.copyOf(problems);
  }

  /// A configuration together with the name that selected it.
  ///
  /// @param name key of the ConfigMap of device plugin configurations; empty where no file is used
  public record InForce(String name, AgentConfig config) {}

  /// Those to watch.
  public Set<String> configMaps() {
    boolean divides = isOn(NodeFunction.MIG);
    return Stream.of(
            configMap,
            counters.configMap(),
            mig.configMap().filter(_ -> divides),
            mig.clients().filter(_ -> divides))
        .flatMap(Optional::stream)
        .collect(Collectors.toUnmodifiableSet());
  }

  public FunctionState state(NodeFunction function) {
    return functions.getOrDefault(function, UNSAID);
  }

  public boolean isOn(NodeFunction function) {
    return state(function) instanceof On;
  }

  Optional<InForce> inForce(Program program) {
    return switch (program) {
      case PLUGIN -> plugin;
      case LABELS -> labels;
    };
  }
}
