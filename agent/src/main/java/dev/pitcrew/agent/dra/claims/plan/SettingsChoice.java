package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Entry;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder.Decoded;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The settings of a claim for the devices of one driver, in the order of their precedence: the
/// last that match a device apply.
public final class SettingsChoice {
  private final List<Ranked> ranked;

  private SettingsChoice(List<Ranked> ranked) {
    this.ranked = List.copyOf(ranked);
  }

  /// Settings with their place in the precedence.
  private record Ranked(Entry entry, Decoded decoded) {}

  public sealed interface Read {
    record Ranked(SettingsChoice settings) implements Read {}

    /// @param reason names the entry
    record Refused(String reason) implements Read {}
  }

  /// The settings of one result, or why there are none.
  public sealed interface Choice {
    /// @param rank of the settings; that of later ones is higher
    record Chosen(int rank, DeviceSettings settings) implements Choice {}

    record None() implements Choice {}

    /// @param reason names the request
    record Refused(String reason) implements Choice {}
  }

  /// @param driver whose settings are meant; those of others are not looked at
  public static Read of(
      ClaimAllocation allocation, String driver, Function<JsonNode, Decoded> decoder) {
    var ranked = new ArrayList<Ranked>();
    for (Entry entry : allocation.settings()) {
      Optional<JsonNode> parameters = entry.parameters();
      if (parameters.isEmpty()) {
        return new Read.Refused(entry.text() + ": only opaque settings are known; allowed: opaque");
      }
      if (entry.driver().equals(driver)) {
        Decoded decoded = decoder.apply(parameters.get());
        if (decoded instanceof Decoded.Malformed(var problem)) {
          return new Read.Refused(entry.text() + ": " + problem.text());
        }
        ranked.add(new Ranked(entry, decoded));
      }
    }
    return new Read.Ranked(new SettingsChoice(ranked));
  }

  /// @param kind of the settings that fit the device
  /// @param type of the device
  public Choice choose(Result result, String kind, String type) {
    for (int rank = ranked.size() - 1; rank >= 0; rank--) {
      Ranked candidate = ranked.get(rank);
      String found = kind(candidate.decoded());
      boolean fits = found.equals(kind);
      boolean isNamed = candidate.entry().names(result);
      if (isNamed && !fits) {
        return refused(
            result, new SettingsProblem.OtherDeviceType(found, result.device(), type, kind));
      }
      if (fits && (isNamed || candidate.entry().requests().isEmpty())) {
        return switch (candidate.decoded()) {
          case Decoded.Accepted(var settings) -> new Choice.Chosen(rank, settings);
          case Decoded.Invalid(_, var problem) -> refused(result, problem);
          case Decoded.Malformed(var problem) -> refused(result, problem);
        };
      }
    }
    return new Choice.None();
  }

  private static String kind(Decoded decoded) {
    return switch (decoded) {
      case Decoded.Accepted(var settings) -> settings.kind();
      case Decoded.Invalid(var kind, _) -> kind;
      case Decoded.Malformed _ -> "";
    };
  }

  private static Choice refused(Result result, SettingsProblem problem) {
    return new Choice.Refused("request %s: %s".formatted(result.request(), problem.text()));
  }
}
