package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;

/// Facts of one container of a pod template.
final class ContainerFacts {
  private static final String[] AS_WRITTEN = {
    "image", "imagePullPolicy", "resources", "securityContext", "restartPolicy"
  };

  static ObjectNode of(JsonNode container, UnaryOperator<String> digest) {
    return new FactObject()
        .withAll(KindFacts.fields(container, AS_WRITTEN))
        .with("command", words(container.path("command")))
        .with("args", words(container.path("args")))
        .with("env", environment(container.path("env"), digest))
        .with("envFrom", environmentSources(container.path("envFrom")))
        .with("ports", ports(container.path("ports")))
        .with("volumeMounts", mounts(container.path("volumeMounts")))
        .with("startupProbe", ProbeFacts.of(container.path("startupProbe")))
        .with("livenessProbe", ProbeFacts.of(container.path("livenessProbe")))
        .with("readinessProbe", ProbeFacts.of(container.path("readinessProbe")))
        .with("lifecycle", lifecycle(container.path("lifecycle")))
        .build();
  }

  private static JsonNode words(JsonNode words) {
    return FactObject.listOf(
        FactObject.texts(words).stream().map(LongText::scriptShortened).toList());
  }

  private static ObjectNode environment(JsonNode variables, UnaryOperator<String> digest) {
    var environment =
        FactObject.named(variables, variable -> TextNode.valueOf(EnvironmentValue.of(variable)));
    environment.properties().stream()
        .filter(entry -> entry.getKey().endsWith("CONFIG_DIGEST"))
        .filter(entry -> !entry.getValue().asText().isEmpty())
        .forEach(entry -> environment.put(entry.getKey(), digest.apply(entry.getValue().asText())));
    return environment;
  }

  private static ObjectNode environmentSources(JsonNode sources) {
    return FactObject.setOf(
        StreamSupport.stream(sources.spliterator(), false).map(FactsText::compact));
  }

  private static ObjectNode ports(JsonNode ports) {
    return FactObject.named(
        ports,
        port -> port.path("name").asText(port.path("containerPort").asText()),
        FactObject::withoutEmpty);
  }

  private static ObjectNode mounts(JsonNode mounts) {
    return FactObject.named(
        mounts, mount -> mount.path("mountPath").asText(), ContainerFacts::mount);
  }

  private static ObjectNode mount(JsonNode mount) {
    return new FactObject()
        .with("volume", mount.path("name"))
        .with("subPath", mount.path("subPath"))
        .with("readOnly", mount.path("readOnly"))
        .with("propagation", mount.path("mountPropagation"))
        .build();
  }

  /// How each hook acts, not what it runs.
  private static ObjectNode lifecycle(JsonNode hooks) {
    var actions = JsonNodeFactory.instance.objectNode();
    hooks.properties().stream()
        .filter(hook -> hook.getValue().isObject() && !hook.getValue().isEmpty())
        .forEach(hook -> actions.put(hook.getKey(), hook.getValue().fieldNames().next()));
    return actions;
  }

  private ContainerFacts() {}
}
