package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The ends of logs, which would otherwise go with the test bed.
record LogTails(Screen screen, ControlPlane controlPlane) {
  private static final int LINES = 15;

  /// Of the process in the test bed's folder, if there is one, and of every pod in `namespace` that
  /// really runs.
  void quote(String process, String namespace) {
    quoteFile(controlPlane.directory().file(process + ".log"));
    try {
      controlPlane.client().pods().inNamespace(namespace).list().getItems().stream()
          .filter(LogTails::hasLog)
          .forEach(this::quotePod);
    } catch (KubernetesClientException e) {
      screen.line("The API server does not list the pods: " + e.getMessage());
    }
  }

  /// A simulated pod has no containers that containerd knows.
  private static boolean hasLog(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .anyMatch(status -> String.valueOf(status.getContainerID()).startsWith("containerd:"));
  }

  private void quoteFile(Path log) {
    if (Files.exists(log)) {
      try {
        quote(log.getFileName().toString(), Files.readAllLines(log));
      } catch (IOException e) {
        throw new UncheckedIOException("read " + log, e);
      }
    }
  }

  private void quotePod(Pod pod) {
    var metadata = pod.getMetadata();
    try {
      var log =
          controlPlane
              .client()
              .pods()
              .inNamespace(metadata.getNamespace())
              .withName(metadata.getName())
              .tailingLines(LINES)
              .getLog();
      quote("pod " + metadata.getName(), log.lines().toList());
    } catch (KubernetesClientException e) {
      screen.line("pod %s has no log: %s".formatted(metadata.getName(), e.getMessage()));
    }
  }

  private void quote(String whose, List<String> lines) {
    screen.heading("The log of %s ends with:".formatted(whose));
    lines.subList(Math.max(0, lines.size() - LINES), lines.size()).forEach(screen::quote);
  }
}
