package dev.pitcrew.agent.runtime.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Files of runtimes as distributions and administrators write them, and what is made of them.
record Configs(
    RuntimeKind kind,
    Optional<String> main,
    Optional<String> dropIn,
    List<ConfigFile> others,
    String version) {
  static final String CONTAINERD_MAIN = "/etc/containerd/config.toml";
  static final String CONTAINERD_OURS = "/etc/containerd/conf.d/99-pitcrew.toml";
  static final WantedRuntime ALL =
      new WantedRuntime(List.of("nvidia", "nvidia-cdi", "nvidia-legacy"), true, true);
  static final WantedRuntime ONE = new WantedRuntime(List.of("nvidia"), true, true);

  static Configs containerd(String version, String main) {
    return new Configs(
        RuntimeKind.CONTAINERD, Optional.of(main), Optional.empty(), List.of(), version);
  }

  static Configs crio(ConfigFile... others) {
    return new Configs(
        RuntimeKind.CRIO, Optional.empty(), Optional.empty(), List.of(others), "1.33.0");
  }

  static Configs docker(String main) {
    return new Configs(
        RuntimeKind.DOCKER, Optional.of(main), Optional.empty(), List.of(), "28.0.1");
  }

  Configs withoutMain() {
    return new Configs(kind, Optional.empty(), dropIn, others, version);
  }

  Configs with(String path, String text) {
    var more = new ArrayList<>(others);
    more.add(new ConfigFile(path, text));
    return new Configs(kind, main, dropIn, List.copyOf(more), version);
  }

  Configs withMain(String text) {
    return new Configs(kind, Optional.of(text), dropIn, others, version);
  }

  RuntimeInput input() {
    return input(RuntimeInput.HostPrograms.UNKNOWN);
  }

  RuntimeInput input(RuntimeInput.HostPrograms programs) {
    return new RuntimeInput(
        switch (kind) {
          case CONTAINERD -> CONTAINERD_MAIN;
          case CRIO -> "/etc/crio/crio.conf";
          case DOCKER -> "/etc/docker/daemon.json";
        },
        switch (kind) {
          case CONTAINERD -> CONTAINERD_OURS;
          case CRIO -> "/etc/crio/crio.conf.d/99-pitcrew.conf";
          case DOCKER -> "";
        },
        main,
        dropIn,
        others,
        RuntimeVersion.in(version),
        Optional.empty(),
        programs);
  }

  RuntimePlan plan(WantedRuntime wanted) {
    return RuntimePlan.of(kind, input(), wanted);
  }

  List<Edit> edits(WantedRuntime wanted) {
    return switch (plan(wanted)) {
      case RuntimePlan.Edits(var edits, _) -> edits;
      case RuntimePlan.Nothing _ -> List.of();
      case RuntimePlan.Refused(var problem) -> throw new AssertionError(problem.message());
    };
  }

  /// What a file says once the plan was carried out; an empty text where there is none.
  String after(WantedRuntime wanted, String path) {
    RuntimeInput after = input().after(edits(wanted));
    return (path.equals(after.dropInPath()) ? after.dropIn() : after.main()).orElse("");
  }

  RuntimeProblem problem(WantedRuntime wanted) {
    return switch (plan(wanted)) {
      case RuntimePlan.Refused(var problem) -> problem;
      case RuntimePlan other -> throw new AssertionError("not refused: " + other);
    };
  }
}
