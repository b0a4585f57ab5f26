package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.nri.plan.ContainerRules;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.node.AgentPolicy;
import dev.pitcrew.core.text.GoText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the variables of the container toolkit say about containers that ask for devices. A value
/// that is wrong leaves the default in force.
final class ToolkitEnvironment {
  /// Unknown to NVIDIA's container toolkit: the namespaces whose pods may ask by variable, mount or
  /// annotation.
  static final String VISIBLE_DEVICES_NAMESPACES = "PITCREW_VISIBLE_DEVICES_NAMESPACES";

  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern HANDLER = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,252}");
  private static final Pattern PATH =
      Pattern.compile("(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._+@-]{1,255})+");
  private static final Pattern INDEX = Pattern.compile("\\d{1,2}");

  private final AgentPolicy policy;
  private final Map<String, String> variables;
  private final List<SettingsProblem> problems = new ArrayList<>();

  private ToolkitEnvironment(AgentPolicy policy) {
    this.policy = policy;
    this.variables =
        policy.toolkit().env().stream()
            .filter(OperandEnvironment::isLiteral)
            .filter(entry -> !entry.valueOrDefault().isEmpty())
            .collect(Collectors.toMap(EnvVar::name, EnvVar::valueOrDefault, (_, last) -> last));
  }

  /// @param problems values that have no effect
  record Read(ContainerSettings settings, List<SettingsProblem> problems) {}

  /// @param namespace of the operator
  static Read read(AgentPolicy policy, String namespace) {
    var environment = new ToolkitEnvironment(policy);
    ContainerSettings settings = environment.settings(namespace);
    return new Read(settings, environment.problems.stream().distinct().toList());
  }

  private ContainerSettings settings(String namespace) {
    ContainerRules standard = ContainerRules.standard(namespace);
    var managers = new HashSet<>(standard.managers());
    managers.addAll(namespaces("NRI_MANAGEMENT_CDI_DEVICE_NAMESPACES").orElse(Set.of()));
    return new ContainerSettings(
        new ContainerRules(
            handlers(standard),
            flag(
                "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED",
                standard.acceptsVariable()),
            flag("ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS", standard.acceptsMounts()),
            policy.cdi().isNriPluginEnabled(),
            namespaces(VISIBLE_DEVICES_NAMESPACES),
            managers),
        value("NRI_SOCKET", "an absolute path on the host", ToolkitEnvironment::path)
            .orElse(ContainerSettings.SOCKET),
        value("NRI_PLUGIN_INDEX", "a number from 0 to 99", ToolkitEnvironment::index)
            .orElse(ContainerSettings.INDEX),
        runtime());
  }

  private RuntimeSettings runtime() {
    return new RuntimeSettings(
        value("RUNTIME", "containerd, crio or docker", RuntimeKind::of),
        hostPath("RUNTIME_CONFIG", "CONTAINERD_CONFIG", "DOCKER_CONFIG"),
        hostPath("RUNTIME_DROP_IN_CONFIG"),
        hostPath("RUNTIME_SOCKET", "CONTAINERD_SOCKET", "DOCKER_SOCKET"),
        hostPath("RUNTIME_EXECUTABLE_PATH"),
        value("RUNTIME_RESTART_MODE", "signal, systemd or none", RestartMode::of),
        Stream.concat(RuntimeSettings.HANDLERS.stream(), named().stream()).distinct().toList(),
        flag("RUNTIME_ENABLE_CDI", true),
        !flag("NO_RUNTIME_CONFIG", false));
  }

  /// The first that says something.
  private Optional<String> hostPath(String... names) {
    return Arrays.stream(names)
        .flatMap(
            name -> value(name, "an absolute path on the host", ToolkitEnvironment::path).stream())
        .findFirst();
  }

  /// Handlers by the variables and by the operator's own RuntimeClass.
  private List<String> named() {
    var byVariable =
        Stream.of("NVIDIA_RUNTIME_NAME", "CONTAINERD_RUNTIME_CLASS", "DOCKER_RUNTIME_NAME")
            .flatMap(
                name -> value(name, "the name of a handler", ToolkitEnvironment::handler).stream());
    var ofOperator =
        Optional.ofNullable(policy.operator().runtimeClass()).flatMap(ToolkitEnvironment::handler);
    return Stream.concat(byVariable, ofOperator.stream()).distinct().toList();
  }

  /// The names of NVIDIA's container toolkit stay handlers, whatever else is one.
  private Set<String> handlers(ContainerRules standard) {
    return Stream.concat(standard.handlers().stream(), named().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean flag(String name, boolean otherwise) {
    return value(name, "true or false", GoText::bool).orElse(otherwise);
  }

  private Optional<Set<String>> namespaces(String name) {
    return value(name, "names of namespaces, by commas", ToolkitEnvironment::namespaceList);
  }

  private <T> Optional<T> value(String name, String wanted, Function<String, Optional<T>> parser) {
    String text = Objects.requireNonNullElse(variables.get(name), "");
    Optional<T> value = text.isEmpty() ? Optional.empty() : parser.apply(text);
    if (!text.isEmpty() && value.isEmpty()) {
      problems.add(
          SettingError.inPolicy("toolkit.env[%s]".formatted(name), text, "give " + wanted)
              .with(new Consequence.NoEffect(), Set.of(NodeFunction.RUNTIME)));
    }
    return value;
  }

  private static Optional<String> path(String text) {
    return Optional.of(text).filter(PATH.asMatchPredicate());
  }

  private static Optional<String> index(String text) {
    return Optional.of(text)
        .filter(INDEX.asMatchPredicate())
        .map(digits -> "%02d".formatted(Integer.parseInt(digits)));
  }

  private static Optional<String> handler(String text) {
    return Optional.of(text).filter(HANDLER.asMatchPredicate());
  }

  private static Optional<Set<String>> namespaceList(String text) {
    Set<String> names =
        Arrays.stream(text.split(",", -1)).map(String::strip).collect(Collectors.toSet());
    return Optional.of(Set.copyOf(names))
        .filter(_ -> names.stream().allMatch(NAMESPACE.asMatchPredicate()));
  }
}
