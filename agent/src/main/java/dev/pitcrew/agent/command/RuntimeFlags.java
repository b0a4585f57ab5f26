package dev.pitcrew.agent.command;

import dev.pitcrew.agent.runtime.RuntimePlace;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The flags and variables of the container toolkit about the runtime, under its names.
final class RuntimeFlags {
  @Option(
      names = "--runtime",
      paramLabel = "<name>",
      defaultValue = "${env:RUNTIME:-}",
      description =
          "containerd, crio or docker (default: the one whose socket is there; variable: RUNTIME).")
  String runtime = "";

  @Option(
      names = "--config",
      paramLabel = "<path>",
      defaultValue = "${env:RUNTIME_CONFIG:-}",
      description = "The runtime's own file on the host (variable: RUNTIME_CONFIG).")
  String config = "";

  @Option(
      names = "--drop-in-config",
      paramLabel = "<path>",
      defaultValue = "${env:RUNTIME_DROP_IN_CONFIG:-}",
      description = "Our file on the host (variable: RUNTIME_DROP_IN_CONFIG).")
  String dropIn = "";

  @Option(
      names = "--socket",
      paramLabel = "<path>",
      defaultValue = "${env:RUNTIME_SOCKET:-}",
      description = "Where the runtime answers, on the host (variable: RUNTIME_SOCKET).")
  String socket = "";

  @Option(
      names = "--executable-path",
      paramLabel = "<path>",
      defaultValue = "${env:RUNTIME_EXECUTABLE_PATH:-}",
      description = "The runtime's program on the host (variable: RUNTIME_EXECUTABLE_PATH).")
  String program = "";

  @Option(
      names = "--restart-mode",
      paramLabel = "<mode>",
      defaultValue = "${env:RUNTIME_RESTART_MODE:-}",
      description =
          "signal, systemd or none (default: systemd for crio, else signal; variable: RUNTIME_RESTART_MODE).")
  String restart = "";

  @Option(
      names = "--handler",
      split = ",",
      paramLabel = "<name>",
      defaultValue = "nvidia,nvidia-cdi,nvidia-legacy",
      description = "Handlers for which RuntimeClasses ask (default: ${DEFAULT-VALUE}).")
  List<String> handlers = RuntimeCommand.HANDLERS;

  @Option(
      names = "--enable-cdi-in-runtime",
      paramLabel = "<true|false>",
      arity = "1",
      defaultValue = "${env:RUNTIME_ENABLE_CDI:-true}",
      description =
          "Have the runtime take CDI names (default: true; variable: RUNTIME_ENABLE_CDI).")
  boolean cdi = true;

  @Option(names = "--undo", description = "With plan: show what undo would write.")
  boolean undoes;

  @Option(
      names = "--state-dir",
      paramLabel = "<folder>",
      defaultValue = "/var/lib/pitcrew",
      description =
          "Keeps the former files; the host has it under the same name (default: ${DEFAULT-VALUE}).")
  String stateFolder = "/var/lib/pitcrew";

  /// Empty where no runtime is there.
  Optional<RuntimePlace> place(HostRoot host) {
    return RuntimePlace.find(host, RuntimeKind.of(runtime))
        .map(usual ->
            usual.with(
                given(config),
                given(dropIn),
                given(socket),
                given(program),
                RestartMode.of(restart)));
  }

  private static Optional<String> given(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }
}
