package dev.pitcrew.agent.status;

import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.mps.MpsState;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.status.plan.NodeFacts;
import dev.pitcrew.agent.status.plan.NodeFacts.DriverFacts;
import dev.pitcrew.agent.status.plan.NodeFacts.SharingFacts;
import dev.pitcrew.agent.status.plan.NodeProblem;
import dev.pitcrew.agent.status.plan.PluginState;
import dev.pitcrew.agent.status.plan.RuntimeFacts;
import dev.pitcrew.agent.validation.RuntimeHandlers;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.api.node.AgentStatus;
import dev.pitcrew.device.sharing.Sharing;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What a report is made of.
public final class ReportFacts {
  private static final String NO_SPACE = "No space left on device";

  private ReportFacts() {}

  public static NodeFacts of(ReportInput input, AgentContext context) {
    Optional<Settings> settings = input.settings();
    Optional<AgentConfig> config = settings.flatMap(Settings::plugin).map(InForce::config);
    return new NodeFacts(
        agent(settings, context),
        input.snapshot(),
        input.host().map(HostState::pci),
        new DriverFacts(
            settings.flatMap(it -> DriverPaths.onHost(context, it.driverFolder())),
            input.pause(),
            DriverTraces.of(context.host())),
        offered(input).map(OfferReport::offered),
        new SharingFacts(
            settings.flatMap(Settings::plugin).map(InForce::name).filter(it -> !it.isEmpty()),
            config.map(AgentConfig::sharing).orElse(Sharing.NONE)),
        Stream.of(
                settings.stream().flatMap(ReportFacts::problems),
                offered(input).stream().flatMap(ReportFacts::problems),
                offered(input).stream().flatMap(it -> unmade(it, input)),
                input.hookProblem().stream()
                    .filter(_ -> settings.filter(it -> needsHook(context, it)).isPresent())
                    .map(ReportFacts::withoutHook),
                claims(input),
                input.unwritten().values().stream().sorted().map(ReportFacts::unwritten),
                offered(input).flatMap(_ -> input.mps()).stream().flatMap(ReportFacts::problems))
            .flatMap(problems -> problems)
            .toList(),
        settings.map(ReportFacts::plugin).orElse(PluginState.OFF),
        input.validation(),
        input.hostProfile(),
        runtime(input, context),
        input.mig(),
        input.resets());
  }

  private static AgentStatus agent(Optional<Settings> settings, AgentContext context) {
    List<String> running =
        Arrays.stream(NodeFunction.values())
            // It goes by the name of the labels of GPUs, and runs where they are switched off, too.
            .filter(function -> function != NodeFunction.FEATURE_LABELS)
            .filter(function -> settings.filter(it -> it.isOn(function)).isPresent())
            .map(NodeFunction::value)
            .toList();
    return new AgentStatus(context.identity().pod(), running, Map.of());
  }

  private static Stream<NodeProblem> claims(ReportInput input) {
    return Stream.of(
            Stream.concat(input.dra().serving().problem().stream(), input.domainProblem().stream())
                .map(reason -> new NodeProblem(NodeProblem.Cause.CLAIMS_NOT_SERVED, reason)),
            input.withoutCounters().stream()
                .map(reason -> new NodeProblem(NodeProblem.Cause.PARTITIONS_NOT_OFFERED, reason)),
            input.withoutShares().stream()
                .map(reason -> new NodeProblem(NodeProblem.Cause.SHARES_NOT_OFFERED, reason)),
            input.dra().machines().problem().stream()
                .map(reason -> new NodeProblem(NodeProblem.Cause.PASSTHROUGH_NOT_OFFERED, reason)))
        .flatMap(problems -> problems);
  }

  private static NodeProblem withoutHook(String why) {
    return new NodeProblem(
        NodeProblem.Cause.CDI_HOOK_CANNOT_RUN,
        "the devices are offered as unhealthy, as no container would start with one; running pods keep theirs: "
            + why);
  }

  private static boolean needsHook(AgentContext context, Settings settings) {
    return plugin(settings) != PluginState.OFF
        && settings
            .plugin()
            .map(InForce::config)
            .filter(it -> CdiHook.isNeeded(context.host(), it))
            .isPresent();
  }

  private static RuntimeFacts runtime(ReportInput input, AgentContext context) {
    Optional<Settings> settings = input.settings();
    boolean isOurs =
        settings
            .filter(it -> !(it.state(NodeFunction.RUNTIME) instanceof FunctionState.Off))
            .isPresent();
    boolean isGood =
        input.runtime().filter(it -> it.phase() == RuntimeState.Phase.READY).isPresent();
    List<String> files =
        isGood || input.runtime().isEmpty()
            ? List.of()
            : settings.stream()
                .flatMap(it -> RuntimeHandlers.in(context.host(), it.wanted().handler()).stream())
                .toList();
    Optional<String> hookProblem =
        input
            .hookProblem()
            .filter(_ -> input.nri().isPresent() && CdiHook.isNeededByVariable(context.host()));
    return new RuntimeFacts(isOurs, input.runtime(), input.nri(), hookProblem, files);
  }

  /// What was reported to the kubelet, once it has answered.
  private static Optional<OfferReport> offered(ReportInput input) {
    return input
        .offered()
        .filter(report -> report.resources().stream().noneMatch(it -> it.isPending()));
  }

  private static Stream<NodeProblem> problems(Settings settings) {
    return settings.problems().stream()
        .map(
            problem -> new NodeProblem(NodeProblem.Cause.CONFIGURATION_INVALID, problem.message()));
  }

  private static Stream<NodeProblem> problems(OfferReport report) {
    Stream<NodeProblem> files = report.failures().stream().map(ReportFacts::unwritten);
    Stream<NodeProblem> kubelet =
        report.resources().stream()
            .flatMap(resource ->
                resource.problem().stream()
                    .map(why ->
                        new NodeProblem(
                            NodeProblem.Cause.KUBELET_UNREACHABLE, resource.name() + ": " + why)));
    Stream<NodeProblem> leftOut =
        report.leftOut().stream()
            .map(line -> new NodeProblem(NodeProblem.Cause.DEVICE_LEFT_OUT, line));
    return Stream.of(kubelet, files, leftOut).flatMap(problems -> problems);
  }

  /// Why the agent has not made the device nodes for whose absence devices are left out.
  private static Stream<NodeProblem> unmade(OfferReport report, ReportInput input) {
    return report.leftOut().isEmpty()
        ? Stream.empty()
        : input.nodes().stream()
            .flatMap(view -> view.problems().stream())
            .map(line ->
                new NodeProblem(
                    NodeProblem.Cause.DEVICE_LEFT_OUT, "the agent could not make a file: " + line));
  }

  private static NodeProblem unwritten(String line) {
    return new NodeProblem(
        line.contains(NO_SPACE) ? NodeProblem.Cause.DISK_FULL : NodeProblem.Cause.FILE_NOT_WRITTEN,
        line);
  }

  private static Stream<NodeProblem> problems(MpsState mps) {
    return mps.down().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(down ->
            new NodeProblem(
                NodeProblem.Cause.MPS_NOT_RUNNING,
                "the devices of %s are offered as unhealthy: %s"
                    .formatted(down.getKey(), down.getValue())));
  }

  private static PluginState plugin(Settings settings) {
    return switch (settings.state(NodeFunction.DEVICE_PLUGIN)) {
      case FunctionState.On() -> PluginState.ON;
      case FunctionState.Off(_) -> PluginState.OFF;
      case FunctionState.Paused(_) -> PluginState.PAUSED;
    };
  }
}
