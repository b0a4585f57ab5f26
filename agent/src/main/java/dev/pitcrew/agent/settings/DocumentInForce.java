package dev.pitcrew.agent.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.AgentDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The operator's document that counts: the one that is there, or the last one that was right.
///
/// @param source with the text of that document
record DocumentInForce(
    Optional<AgentDocument> document, SettingsSource source, List<SettingsProblem> problems) {
  private static final String REMEDY = "; the operator writes it again when it is deleted";

  private sealed interface Reading {
    record Right(AgentDocument document) implements Reading {}

    record Refused(SettingError error) implements Reading {}
  }

  static DocumentInForce of(SettingsSource now, Optional<SettingsSource> before) {
    return switch (read(now)) {
      case Reading.Right(var document) ->
          new DocumentInForce(Optional.of(document), now, unknownFunctions(document));
      case Reading.Refused(var error) -> lastRight(now, before, error);
    };
  }

  private static DocumentInForce lastRight(
      SettingsSource now, Optional<SettingsSource> before, SettingError error) {
    Optional<SettingsSource> right =
        before.flatMap(SettingsSource::agentJson).map(now::withAgentJson);
    if (right.isPresent() && read(right.get()) instanceof Reading.Right(AgentDocument document)) {
      var problems = new ArrayList<SettingsProblem>();
      problems.add(error.with(new Consequence.StillUsing(""), Set.of()));
      problems.addAll(unknownFunctions(document));
      return new DocumentInForce(Optional.of(document), right.get(), problems);
    }
    return new DocumentInForce(
        Optional.empty(), now, List.of(error.with(new Consequence.NotRunning(), Set.of())));
  }

  private static Reading read(SettingsSource source) {
    if (source.agentJson().isEmpty()) {
      return unreadable(source, "", "it is not there; the operator writes it, see that it runs");
    }
    return tree(source.agentJson().get())
        .map(root -> read(source, root))
        .orElseGet(() -> unreadable(source, "", "it is no JSON object" + REMEDY));
  }

  private static Optional<JsonNode> tree(String text) {
    try {
      return Optional.ofNullable(ApiJson.read(text, JsonNode.class)).filter(JsonNode::isObject);
    } catch (UnreadableResource _) {
      return Optional.empty();
    }
  }

  /// The version comes first: in another version, what else differs is no error.
  private static Reading read(SettingsSource source, JsonNode root) {
    String version = root.path("apiVersion").asText();
    if (!version.isEmpty() && !version.equals(AgentDocument.API_VERSION)) {
      return unreadable(
          source,
          version,
          "this agent reads %s only; let agent and operator be of one release"
              .formatted(AgentDocument.API_VERSION));
    }
    try {
      return new Reading.Right(ApiJson.read(root, AgentDocument.class));
    } catch (UnreadableResource broken) {
      return unreadable(source, "", broken.getMessage() + REMEDY);
    }
  }

  private static Reading unreadable(SettingsSource source, String value, String remedy) {
    String field =
        "ConfigMap %s/%s key %s"
            .formatted(source.namespace(), AgentDocument.CONFIG_MAP, AgentDocument.KEY);
    return new Reading.Refused(
        new SettingError(value.isEmpty() ? field : field + ": apiVersion", value, remedy));
  }

  private static List<SettingsProblem> unknownFunctions(AgentDocument document) {
    return document.functions().stream()
        .filter(function -> !NodeFunction.names().contains(function))
        .distinct()
        .map(DocumentInForce::unknownFunction)
        .toList();
  }

  private static SettingsProblem unknownFunction(String function) {
    return new SettingError(
            "FleetPolicy spec.agent.functions",
            function,
            "this agent does not provide it; remove it to use NVIDIA's operand")
        .with(new Consequence.NoEffect(), Set.of());
  }
}
