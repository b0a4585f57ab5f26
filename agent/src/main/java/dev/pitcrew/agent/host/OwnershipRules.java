package dev.pitcrew.agent.host;

import dev.pitcrew.agent.host.HostSigns.DriverOnHost;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Who owns a part: the first rule that knows.
final class OwnershipRules {
  /// The driver manager writes it where it finds a driver on the host.
  private static final String DEPLOY_DRIVER = "nvidia.com/gpu.deploy.driver";

  private static final String PRE_INSTALLED = "pre-installed";

  /// The program that starts containerd there writes its configuration again each time, from a
  /// template that is its user's (docs.k3s.io, "Advanced Options"; docs.rke2.io, "Advanced
  /// Options"; MicroK8s' wrapper run-containerd-with-args).
  private static final List<Generated> GENERATED =
      List.of(
          new Generated("/var/lib/rancher/k3s/", "k3s", "config.toml.tmpl beside it"),
          new Generated("/var/lib/rancher/rke2/", "RKE2", "config.toml.tmpl beside it"),
          new Generated("/var/snap/microk8s/", "MicroK8s", "containerd-template.toml beside it"));

  /// Why a part is left alone; empty where it has no say.
  @FunctionalInterface
  private interface Rule {
    Optional<String> reason(OwnershipRules facts);
  }

  private static final List<Rule> RUNTIME =
      List.of(
          OwnershipRules::onReadOnlyFiles, // nothing could be written
          OwnershipRules::madeAtBoot, // what is written would be gone after the next boot
          OwnershipRules::generated, // or after the next start
          OwnershipRules::handlerOfHost); // there is nothing left to do

  private static final List<Rule> TOOLKIT =
      List.of(OwnershipRules::toolkitOfHost, OwnershipRules::nowhereToRun);

  private static final List<Rule> DRIVER =
      List.of(OwnershipRules::driverOfHost, OwnershipRules::driverIsSaidToBeThere);

  private record Generated(String folder, String by, String template) {}

  private final HostSigns host;
  private final NodeMarks node;
  private final KnownHost known;

  OwnershipRules(HostSigns host, NodeMarks node, KnownHost known) {
    this.host = host;
    this.node = node;
    this.known = known;
  }

  Ownership owner(HostPart part) {
    return said(part)
        .or(() -> known.leavesAlone(part).map(Ownership::host))
        .orElseGet(() ->
            switch (part) {
              case RUNTIME -> runtime();
              case TOOLKIT -> toolkit();
              case DRIVER -> driver();
            });
  }

  /// What the administrator says counts more than what we think.
  private Optional<Ownership> said(HostPart part) {
    String reason = "the Node's label %s says so".formatted(part.label());
    return switch (node.label(part.label())) {
      case "pitcrew" -> Optional.of(Ownership.pitcrew(reason));
      case "host" -> Optional.of(Ownership.host(reason));
      default -> Optional.empty();
    };
  }

  private Ownership runtime() {
    return first(RUNTIME)
        .map(Ownership::host)
        .orElseGet(() ->
            Ownership.pitcrew(
                "%s can be written, and no other program has configured a handler for GPUs in the runtime"
                    .formatted(host.configuration().path())));
  }

  private Optional<String> onReadOnlyFiles() {
    var place = host.configuration();
    return Optional.of(
            "%s lies on %s, which is mounted read-only".formatted(place.path(), place.mountPoint()))
        .filter(_ -> place.isReadOnly());
  }

  private Optional<String> madeAtBoot() {
    var place = host.configuration();
    return Optional.of(
            "%s lies on %s, which is in memory and created again at each boot"
                .formatted(place.path(), place.mountPoint()))
        .filter(_ -> place.isMadeAtBoot());
  }

  private Optional<String> generated() {
    String path = host.configuration().path();
    return GENERATED.stream()
        .filter(each -> path.startsWith(each.folder()))
        .findFirst()
        .map(each ->
            "%s writes %s again at each start, from %s"
                .formatted(each.by(), path, each.template()));
  }

  private Optional<String> handlerOfHost() {
    return host.handlers().stream()
        .filter(handler -> !handler.isOfOperand())
        .findFirst()
        .map(handler ->
            "%s already has the handler %s%s"
                .formatted(
                    handler.file(),
                    handler.name(),
                    handler.program().isEmpty() ? "" : ", which starts " + handler.program()));
  }

  private Ownership toolkit() {
    return first(TOOLKIT)
        .map(Ownership::host)
        .orElseGet(() ->
            Ownership.pitcrew("the host has none of NVIDIA's; the agent brings its own CDI hook"));
  }

  private Optional<String> toolkitOfHost() {
    return host.toolkit().stream().findFirst().map("the host has %s"::formatted);
  }

  private Optional<String> nowhereToRun() {
    String places =
        host.programs().stream()
            .map(place -> "in %s: %s is mounted noexec".formatted(place.path(), place.mountPoint()))
            .collect(Collectors.joining(", nor "));
    return Optional.of("no program can run " + places)
        .filter(_ -> host.programs().stream().allMatch(HostSigns.Place::forbidsPrograms));
  }

  private Ownership driver() {
    return first(DRIVER)
        .map(Ownership::host)
        .orElseGet(() -> Ownership.pitcrew("the host has none; a driver container brings it"));
  }

  private Optional<String> driverOfHost() {
    return host.driver().map(OwnershipRules::words);
  }

  private static String words(DriverOnHost driver) {
    return "the host has driver %s below %s".formatted(driver.version(), driver.root());
  }

  private Optional<String> driverIsSaidToBeThere() {
    return Optional.of("the Node's label %s is %s".formatted(DEPLOY_DRIVER, PRE_INSTALLED))
        .filter(_ -> node.label(DEPLOY_DRIVER).equals(PRE_INSTALLED));
  }

  private Optional<String> first(List<Rule> rules) {
    return rules.stream().flatMap(rule -> rule.reason(this).stream()).findFirst();
  }
}
