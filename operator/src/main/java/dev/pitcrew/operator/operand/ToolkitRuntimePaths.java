package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY_OR_CREATE;

import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import java.util.Arrays;
import java.util.stream.Collectors;

/// Where the runtime of a node keeps its configuration and its socket: the user's environment names
/// paths of the host, which are mounted at other paths in the container; it is given those.
final class ToolkitRuntimePaths {
  private static final String CONFIG_DIRECTORY = "/runtime/config-dir/";
  private static final String DROP_IN_DIRECTORY = "/runtime/config-dir.d/";
  private static final String SOCKET_DIRECTORY = "/runtime/sock-dir/";
  private static final String NRI_DIRECTORY = "/runtime/nri-sock-dir/";

  /// Default paths on the host; an empty one means that the runtime has no such file.
  private record Defaults(String variablePrefix, String config, String dropIn, String socket) {}

  private ToolkitRuntimePaths() {}

  static void apply(DaemonSetDraft draft, RenderContext context) {
    if (context.usesNri()) {
      nriSocket(draft);
      return;
    }
    ContainerRuntime runtime = context.facts().runtime();
    if (runtime == ContainerRuntime.CONTAINERD) {
      draft.main().env("CONTAINERD_RUNTIME_CLASS", RuntimeModes.runtimeClassName(context));
    }
    Defaults defaults = defaults(runtime);
    config(draft, runtime, defaults);
    dropIn(draft, runtime, defaults);
    configSource(draft.main());
    socket(draft, runtime, defaults);
  }

  private static Defaults defaults(ContainerRuntime runtime) {
    return switch (runtime) {
      case CONTAINERD ->
          new Defaults(
              "CONTAINERD",
              "/etc/containerd/config.toml",
              "/etc/containerd/conf.d/99-nvidia.toml",
              "/run/containerd/containerd.sock");
      case CRIO ->
          new Defaults("CRIO", "/etc/crio/config.toml", "/etc/crio/crio.conf.d/99-nvidia.conf", "");
      case DOCKER -> new Defaults("DOCKER", "/etc/docker/daemon.json", "", "/var/run/docker.sock");
    };
  }

  private static void nriSocket(DaemonSetDraft draft) {
    String socket = draft.main().envValue("NRI_SOCKET", "/var/run/nri/nri.sock");
    draft.main().env("NRI_SOCKET", NRI_DIRECTORY + baseName(socket));
    mountFolder(draft, "nri-socket", NRI_DIRECTORY, socket, DIRECTORY_OR_CREATE);
  }

  private static void config(DaemonSetDraft draft, ContainerRuntime runtime, Defaults defaults) {
    ContainerDraft toolkit = draft.main();
    String specific = defaults.variablePrefix() + "_CONFIG";
    String path = toolkit.envValue(specific, toolkit.envValue("RUNTIME_CONFIG", defaults.config()));
    String inside = CONFIG_DIRECTORY + baseName(path);
    toolkit.env("RUNTIME_CONFIG", inside).env(specific, inside);
    mountFolder(draft, runtime.id() + "-config", CONFIG_DIRECTORY, path, DIRECTORY_OR_CREATE);
  }

  private static void dropIn(DaemonSetDraft draft, ContainerRuntime runtime, Defaults defaults) {
    ContainerDraft toolkit = draft.main();
    String path = toolkit.envValue("RUNTIME_DROP_IN_CONFIG", defaults.dropIn());
    if (path.isEmpty()) {
      return;
    }
    toolkit
        .env("RUNTIME_DROP_IN_CONFIG", DROP_IN_DIRECTORY + baseName(path))
        .env("RUNTIME_DROP_IN_CONFIG_HOST_PATH", path);
    mountFolder(
        draft, runtime.id() + "-drop-in-config", DROP_IN_DIRECTORY, path, DIRECTORY_OR_CREATE);
  }

  private static void configSource(ContainerDraft toolkit) {
    String sources = toolkit.envValue("RUNTIME_CONFIG_SOURCE", "");
    if (sources.isEmpty()) {
      return;
    }
    toolkit.env(
        "RUNTIME_CONFIG_SOURCE",
        Arrays.stream(sources.split(","))
            .map(source -> source.replaceFirst("^file=", "file=/host"))
            .collect(Collectors.joining(",")));
  }

  private static void socket(DaemonSetDraft draft, ContainerRuntime runtime, Defaults defaults) {
    if (defaults.socket().isEmpty()) {
      return;
    }
    ContainerDraft toolkit = draft.main();
    String specific = defaults.variablePrefix() + "_SOCKET";
    String path = toolkit.envValue(specific, defaults.socket());
    String inside = SOCKET_DIRECTORY + baseName(path);
    toolkit.env("RUNTIME_SOCKET", inside).env(specific, inside);
    mountFolder(draft, runtime.id() + "-socket", SOCKET_DIRECTORY, path, ANY);
  }

  private static void mountFolder(
      DaemonSetDraft draft, String volume, String inside, String hostFile, String type) {
    draft.hostPath(volume, folder(hostFile), type);
    draft.main().mount(volume, inside);
  }

  private static String baseName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static String folder(String path) {
    int slash = path.lastIndexOf('/');
    return slash <= 0 ? "/" : path.substring(0, slash);
  }
}
