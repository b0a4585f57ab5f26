package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.FunctionState.On;
import dev.pitcrew.agent.validation.plan.Wanted;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Decides what runs on this node.
///
/// What is right takes effect at once; where something is wrong the last decision stays in force
/// for it, and says so.
public final class SettingsPlan {
  private static final String DRIVER_FOLDER = "/run/nvidia/driver";

  private final AgentDocument document;
  private final DocumentInForce read;
  private final Map<Program, OperandInput> given = new EnumMap<>(Program.class);
  private final Map<Program, ProgramPlan> programs = new EnumMap<>(Program.class);
  private final CounterPlan counters;

  private SettingsPlan(AgentDocument document, DocumentInForce read, Optional<Settings> before) {
    this.document = document;
    this.read = read;
    counters = CounterPlan.of(document, read.source(), before);
    var choice = ConfigChoice.of(document.clusterPolicy(), read.source());
    for (Program program : Program.values()) {
      var operand =
          OperandInput.to(program, document.clusterPolicy(), read.source().kernelModules());
      var last = before.flatMap(settings -> settings.inForce(program));
      given.put(program, operand);
      programs.put(
          program,
          functions(program).isEmpty()
              ? ProgramPlan.NOT_WANTED
              : ProgramPlan.of(
                  new ProgramPlan.Input(program, operand, choice, sharesByTimeOnly(), last)));
    }
  }

  /// Whether the operator's word is known at all. Without it nothing can be said of any function,
  /// which is not the same as that all are off.
  public static boolean hasDocument(SettingsSource now, Optional<Decision> before) {
    return DocumentInForce.of(now, before.map(Decision::source)).document().isPresent();
  }

  /// @param before the last decision, which may come from a stored source; empty on the first start
  public static Decision decide(SettingsSource now, Optional<Decision> before) {
    var read = DocumentInForce.of(now, before.map(Decision::source));
    if (read.document().isEmpty()) {
      return new Decision(withoutDocument(read.problems(), now.namespace()), now);
    }
    var plan = new SettingsPlan(read.document().get(), read, before.map(Decision::settings));
    boolean isAsSaid = plan.programs.values().stream().allMatch(ProgramPlan::isAsSaid);
    SettingsSource source =
        before.filter(_ -> !isAsSaid).map(last -> last.source().onNode(now)).orElse(read.source());
    return new Decision(plan.settings(), plan.counters.toStore().map(source::with).orElse(source));
  }

  private static Settings withoutDocument(List<SettingsProblem> problems, String namespace) {
    String why = problems.getFirst().cause();
    return new Settings(
        states(_ -> new Off(why)),
        Optional.empty(),
        Optional.empty(),
        XidPolicy.DEFAULT,
        HealthSettings.UNSAID,
        Optional.empty(),
        ContainerSettings.standard(namespace),
        DRIVER_FOLDER,
        DeviceNodeSettings.STANDARD,
        false,
        Wanted.USUAL,
        Map.of(),
        MigSettings.NONE,
        FeatureSwitches.DEFAULT,
        false,
        CounterSettings.DEFAULTS,
        problems);
  }

  private Settings settings() {
    AgentPolicy policy = document.clusterPolicy();
    String driverFolder = Objects.requireNonNullElse(policy.hostPaths().driverInstallDir(), "");
    return new Settings(
        states(this::state),
        plan(Program.PLUGIN).inForce(),
        plan(Program.LABELS).inForce(),
        xids(),
        HealthSettings.of(document, state(NodeFunction.HEALTH) instanceof On),
        policy.devicePlugin().config().reference(),
        containers().settings(),
        driverFolder.isEmpty() ? DRIVER_FOLDER : driverFolder,
        DeviceNodeSettings.of(policy),
        checksCuda(),
        ExpectedParts.of(policy, read.source().nodeLabels()),
        ExporterEnvironment.variables(policy.dcgmExporter()),
        MigSettings.of(document),
        FeatureSwitches.of(document.dra().featureGates(), ClaimShares.of(document.dra())),
        document.dra().computeDomains().isEnabled(),
        counters.settings(),
        problems());
  }

  private ToolkitEnvironment.Read containers() {
    return ToolkitEnvironment.read(document.clusterPolicy(), read.source().namespace());
  }

  private List<SettingsProblem> ofContainers() {
    return FunctionRules.unwanted(NodeFunction.RUNTIME, document).isEmpty()
        ? containers().problems()
        : List.of();
  }

  private List<SettingsProblem> ofExporter() {
    return FunctionRules.unwanted(NodeFunction.METRICS, document).isEmpty()
        ? Stream.concat(
                ExporterEnvironment.problems(document.clusterPolicy().dcgmExporter()).stream(),
                counters.problems().stream())
            .toList()
        : List.of();
  }

  private List<SettingsProblem> ofMig() {
    return FunctionRules.unwanted(NodeFunction.MIG, document).isEmpty()
        ? MigSettings.problems(document.clusterPolicy().migManager())
        : List.of();
  }

  private List<SettingsProblem> ofClaims() {
    return FunctionRules.unwanted(NodeFunction.DRA, document).isEmpty()
        ? ClaimShares.problems(document.dra())
        : List.of();
  }

  private List<SettingsProblem> ofValidation() {
    return FunctionRules.unwanted(NodeFunction.VALIDATION, document).isEmpty()
        ? CudaWorkload.problems(document.clusterPolicy().validator())
        : List.of();
  }

  private FunctionState state(NodeFunction function) {
    FunctionState state = FunctionRules.state(function, document, read.source().nodeLabels());
    return switch (state) {
      case On on ->
          (function == NodeFunction.METRICS
                  ? counters.waiting()
                  : function.program().flatMap(program -> plan(program).obstacle()))
              .<FunctionState>map(Off::new)
              .orElse(on);
      case FunctionState.Off _, FunctionState.Paused _ -> state;
    };
  }

  private boolean checksCuda() {
    return state(NodeFunction.VALIDATION) instanceof On
        && CudaWorkload.isWanted(document.clusterPolicy().validator());
  }

  private boolean offersDevices() {
    return FunctionRules.unwanted(NodeFunction.DEVICE_PLUGIN, document).isEmpty();
  }

  private boolean sharesByTimeOnly() {
    return offersDevices() && FunctionRules.unwanted(NodeFunction.MPS, document).isPresent();
  }

  /// Those that run with a program's configuration on some node.
  private Set<NodeFunction> functions(Program program) {
    return Arrays.stream(NodeFunction.values())
        .filter(function -> function.program().filter(program::equals).isPresent())
        .filter(function -> FunctionRules.unwanted(function, document).isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private ProgramPlan plan(Program program) {
    return Objects.requireNonNull(programs.get(program));
  }

  private XidPolicy xids() {
    OperandInput plugin = Objects.requireNonNull(given.get(Program.PLUGIN));
    return XidPolicy.of(
            plugin.value(IgnoredSettings.DISABLED_HEALTH_CHECKS),
            plugin.value(IgnoredSettings.ENABLED_HEALTH_CHECKS))
        .ignoring(document.health().ignoredXids());
  }

  private List<SettingsProblem> problems() {
    Stream<SettingsProblem> found =
        Arrays.stream(Program.values())
            .flatMap(program -> plan(program).problems(functions(program)));
    return Stream.of(
            read.problems().stream(),
            found,
            healthChecks(),
            ofContainers().stream(),
            ofExporter().stream(),
            ofMig().stream(),
            ofClaims().stream(),
            ofValidation().stream())
        .flatMap(Function.identity())
        .collect(
            Collectors.toMap(
                SettingsPlan::withoutFunctions, it -> it, SettingsPlan::joined, LinkedHashMap::new))
        .values()
        .stream()
        .toList();
  }

  private Stream<SettingsProblem> healthChecks() {
    List<String> malformed = offersDevices() ? xids().malformed() : List.of();
    return malformed.stream()
        .map(item ->
            SettingError.inPolicy(
                    "devicePlugin.env[DP_DISABLE_HEALTHCHECKS, DP_ENABLE_HEALTHCHECKS]",
                    item,
                    "give numbers of Xids, or all")
                .with(
                    new SettingsProblem.Consequence.NoEffect(),
                    Set.of(NodeFunction.DEVICE_PLUGIN)));
  }

  /// One error in a file that two functions read is one problem.
  private static SettingsProblem joined(SettingsProblem one, SettingsProblem other) {
    Set<NodeFunction> both =
        Stream.of(one, other)
            .flatMap(problem -> problem.functions().stream())
            .collect(Collectors.toUnmodifiableSet());
    return withFunctions(one, both);
  }

  private static SettingsProblem withoutFunctions(SettingsProblem problem) {
    return withFunctions(problem, Set.of());
  }

  private static SettingsProblem withFunctions(SettingsProblem it, Set<NodeFunction> functions) {
    return new SettingsProblem(it.field(), it.value(), it.remedy(), it.consequence(), functions);
  }

  private static Map<NodeFunction, FunctionState> states(
      Function<NodeFunction, FunctionState> state) {
    return Arrays.stream(NodeFunction.values())
        .collect(Collectors.toMap(Function.identity(), state));
  }
}
