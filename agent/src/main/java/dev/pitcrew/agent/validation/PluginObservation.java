package dev.pitcrew.agent.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.offer.OfferReport.Advertised;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.validation.ValidationFacts.Plugin;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Compares what was reported to the kubelet with the Node, and for how long they have differed: a
/// kubelet updates its Node some seconds after a change is reported.
public final class PluginObservation {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final InstantSource clock;
  private Optional<Instant> differsSince = Optional.empty();

  PluginObservation(InstantSource clock) {
    this.clock = clock;
  }

  Plugin of(ValidationController.Input input) {
    boolean isOffered =
        !(input.settings().state(NodeFunction.DEVICE_PLUGIN) instanceof FunctionState.Off);
    Optional<OfferReport> report =
        input
            .offered()
            .filter(offered -> offered.resources().stream().noneMatch(Advertised::isPending));
    var plugin =
        new Plugin(
            isOffered,
            report.map(PluginObservation::healthy),
            report.map(it -> it.offered().byClaims().size()).orElse(0),
            report.map(PluginObservation::problems).orElse(List.of()),
            input.allocatable(),
            false);
    return new Plugin(
        isOffered,
        plugin.healthy(),
        plugin.byClaims(),
        plugin.problems(),
        plugin.allocatable(),
        isLate(plugin.agrees()));
  }

  private boolean isLate(boolean agrees) {
    Instant now = clock.instant();
    differsSince = agrees ? Optional.empty() : Optional.of(differsSince.orElse(now));
    return differsSince.filter(since -> now.isAfter(since.plus(TIMEOUT))).isPresent();
  }

  private static Map<String, Integer> healthy(OfferReport report) {
    return report.resources().stream()
        .collect(Collectors.toMap(Advertised::name, Advertised::healthy, (one, _) -> one));
  }

  private static List<String> problems(OfferReport report) {
    return report.resources().stream()
        .flatMap(it -> it.problem().stream().map(why -> it.name() + " (" + why + ")"))
        .toList();
  }

  public static Map<String, Integer> allocatable(JsonNode node) {
    return node.at("/status/allocatable").properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, it -> it.getValue().asInt()));
  }
}
