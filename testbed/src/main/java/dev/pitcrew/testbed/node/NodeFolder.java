package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.image.StaticProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The folder of one node on this machine; the node sees it as `/node`. What is under `disk`
/// survives a reboot.
record NodeFolder(Path path) {
  private static final int LOG_LINES = 15;

  /// What the files of a node say besides what its specification says.
  ///
  /// @param cgroup the folder of its pods in every hierarchy
  /// @param apiServer address and port
  record Settings(
      NodePlace place, String cgroup, String serviceAddress, String apiServer, Path kubeconfig) {}

  Path file(String name) {
    return path.resolve(name);
  }

  /// Writes everything that a node reads when it starts.
  void write(NodeSpec spec, Settings settings, NodePrograms programs, Path authority) {
    try {
      for (var folder :
          List.of(
              "etc/cni",
              "log",
              "images",
              "root",
              "overlay",
              "disk/kubelet",
              "disk/containerd",
              "disk/containerd-config",
              "disk/pods",
              "disk/cdi")) {
        Files.createDirectories(file(folder));
      }
      writeScripts();
      writeSettings(spec, settings);
      Files.copy(authority, file("etc/ca.crt"));
      Files.copy(settings.kubeconfig(), file("etc/kubeconfig"));
      write("etc/mounts", lines(programs.mounts(), spec.mounts()));
      write("etc/devices", devices(spec.devices()));
      Files.copy(programs.pauseImage(), file("images/0-pause.tar"));
      copyImages(spec.images());
    } catch (IOException e) {
      throw new UncheckedIOException("write the files of node " + spec.name(), e);
    }
  }

  /// The end of what one of the node's two programs said.
  String logTail(String program) {
    var log = file("log/" + program + ".log");
    try {
      var lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return "(cannot read " + log + ": " + e + ")";
    }
  }

  private void writeScripts() throws IOException {
    for (var script : List.of("start.sh", "enter.sh", "init.sh")) {
      write("etc/" + script, NodeResources.text(script));
    }
  }

  private void writeSettings(NodeSpec spec, Settings settings) throws IOException {
    var values =
        Map.of(
            "NAME", spec.name(),
            "ADDRESS", settings.place().address(),
            "POD_RANGE", settings.place().podRange(),
            "SERVICE_ADDRESS", settings.serviceAddress(),
            "API_SERVER", settings.apiServer(),
            "CGROUP", settings.cgroup(),
            "PAUSE_IMAGE", StaticProgram.PAUSE.imageName());
    write("etc/node", NodeResources.text("node.env", values));
    write("etc/cni/10-testbed.conflist", NodeResources.text("10-testbed.conflist", values));
    write(
        "disk/containerd-config/config.toml",
        NodeResources.text(spec.containerd().configuration(), values));
    var kubelet = NodeResources.text("kubelet.yaml", values);
    write("etc/kubelet.yaml", withSettings(kubelet, spec.kubeletSettings()));
  }

  /// A setting takes the place of a line with the same key, which YAML allows only once.
  static String withSettings(String configuration, List<String> settings) {
    var keys = settings.stream().map(NodeFolder::key).collect(Collectors.toSet());
    return Stream.concat(
            configuration.lines().filter(line -> !keys.contains(key(line))), settings.stream())
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static String key(String line) {
    return line.substring(0, line.indexOf(':') + 1);
  }

  private void copyImages(List<Path> images) throws IOException {
    var number = 1;
    for (var image : images) {
      Files.copy(image, file("images/%d-%s".formatted(number++, image.getFileName())));
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(file(name), text);
  }

  private static String lines(Collection<NodeSpec.Mount> ours, Collection<NodeSpec.Mount> others) {
    return List.of(ours, others).stream()
        .flatMap(Collection::stream)
        .map(mount -> mount.source() + "\t" + mount.target() + "\n")
        .collect(Collectors.joining());
  }

  private static String devices(Collection<NodeSpec.Device> devices) {
    return devices.stream()
        .map(device -> "%s\t%d\t%d\n".formatted(device.path(), device.major(), device.minor()))
        .collect(Collectors.joining());
  }
}
