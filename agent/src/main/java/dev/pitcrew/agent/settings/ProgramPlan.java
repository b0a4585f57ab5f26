package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.settings.ConfigChoice.Chosen;
import dev.pitcrew.agent.settings.Settings.InForce;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.device.mps.MpsPlan;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The configuration of one of NVIDIA's programs on this node.
///
/// @param inForce the configuration that is said, or else the last one that was right
/// @param isAsSaid whether it is the one that is said
/// @param wrong what keeps it from being that
/// @param ignored settings without an effect
/// @param waiting why it is not known yet what is said; empty where it is
record ProgramPlan(
    Optional<InForce> inForce,
    boolean isAsSaid,
    List<SettingError> wrong,
    List<SettingError> ignored,
    String waiting) {
  static final ProgramPlan NOT_WANTED =
      new ProgramPlan(Optional.empty(), true, List.of(), List.of(), "");

  /// @param sharesByTimeOnly whether the agent offers the devices without having the daemons that
  ///   sharing by MPS needs
  /// @param last the last configuration that was right
  record Input(
      Program program,
      OperandInput given,
      ConfigChoice choice,
      boolean sharesByTimeOnly,
      Optional<InForce> last) {}

  static ProgramPlan of(Input input) {
    return switch (input.choice()) {
      case Chosen chosen -> of(input, chosen);
      case ConfigChoice.Wrong(var error) -> wrong(input, List.of(error));
      case ConfigChoice.Pending(String configMap) ->
          new ProgramPlan(
              input.last(),
              false,
              List.of(),
              input.given().ignored(),
              "ConfigMap %s has not been read yet".formatted(configMap));
    };
  }

  private static ProgramPlan of(Input input, Chosen chosen) {
    OperandInput given = input.given();
    return switch (ConfigParser.parse(input.program(), given.with(chosen))) {
      case ParsedConfig.Accepted(var config, var warnings) ->
          mps(input, chosen, config).isPresent()
              ? wrong(input, mps(input, chosen, config).stream().toList())
              : asSaid(input, new InForce(chosen.name(), config), warnings(chosen, warnings));
      case ParsedConfig.Rejected(var problems) ->
          wrong(input, problems.stream().map(problem -> given.located(problem, chosen)).toList());
    };
  }

  private static ProgramPlan asSaid(Input input, InForce inForce, Stream<SettingError> warnings) {
    List<SettingError> ignored = Stream.concat(input.given().ignored().stream(), warnings).toList();
    return new ProgramPlan(Optional.of(inForce), true, List.of(), ignored, "");
  }

  private static ProgramPlan wrong(Input input, List<SettingError> errors) {
    return new ProgramPlan(input.last(), false, errors, input.given().ignored(), "");
  }

  private static Stream<SettingError> warnings(Chosen chosen, List<String> warnings) {
    return Stream.concat(
        chosen.ignored().stream(),
        warnings.stream().map(warning -> new SettingError(chosen.place(), "", warning)));
  }

  /// What cannot be shared by MPS, whatever the GPUs are.
  private static Optional<SettingError> mps(Input input, Chosen chosen, AgentConfig config) {
    if (!config.sharesByMps()) {
      return Optional.empty();
    }
    String place = chosen.place() + ": sharing.mps";
    if (input.sharesByTimeOnly()) {
      return Optional.of(
          new SettingError(
              place,
              "",
              "FleetPolicy spec.agent.functions has devicePlugin but not mps; add mps, or share by"
                  + " sharing.timeSlicing"));
    }
    return config.sharing().resources().stream()
        .filter(shared -> shared.replicas() > MpsPlan.MOST_CLIENTS)
        .findFirst()
        .map(shared ->
            new SettingError(
                "%s.resources[%d].replicas"
                    .formatted(place, config.sharing().resources().indexOf(shared)),
                String.valueOf(shared.replicas()),
                "no GPU takes more than %d clients of MPS; give %d or fewer"
                    .formatted(MpsPlan.MOST_CLIENTS, MpsPlan.MOST_CLIENTS)));
  }

  /// What a user should know of it.
  ///
  /// @param functions which run with this configuration
  Stream<SettingsProblem> problems(Set<NodeFunction> functions) {
    Consequence kept =
        inForce
            .<Consequence>map(last -> new Consequence.StillUsing(last.name()))
            .orElseGet(Consequence.NotRunning::new);
    return Stream.concat(
        wrong.stream().map(error -> error.with(kept, functions)),
        ignored.stream().map(it -> it.with(new Consequence.NoEffect(), functions)));
  }

  /// Why a function that needs the configuration cannot run; empty if it can.
  Optional<String> obstacle() {
    return inForce.isPresent()
        ? Optional.empty()
        : wrong.stream()
            .findFirst()
            .map(error -> error.with(new Consequence.NotRunning(), Set.of()).cause())
            .or(() -> Optional.of(waiting));
  }
}
