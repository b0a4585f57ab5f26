package dev.pitcrew.testbed.helm;

import com.marcnuri.helm.Helm;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// Installs and upgrades in a process of its own. For these two Helm's library waits for the
/// signals that end a program and never gives them back, so that Ctrl-C would do nothing ever
/// after.
///
/// @param kubeconfig of the cluster
/// @param values a file
record HelmProcess(Path chart, Path kubeconfig, ReleaseName release, Path values) {
  /// What to do with the release.
  enum Action {
    INSTALL,
    UPGRADE
  }

  /// Returns when it is done.
  ///
  /// @return what Helm warns of
  /// @throws IllegalStateException if Helm fails, with its words
  String run(Action action) {
    try {
      var builder = new ProcessBuilder(commandLine(action)).redirectOutput(Redirect.DISCARD);
      var process = builder.start();
      var words = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(words.strip());
      }
      return words;
    } catch (IOException e) {
      throw new UncheckedIOException("run Helm", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Helm was at work", e);
    }
  }

  private List<String> commandLine(Action action) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        HelmProcess.class.getName(),
        action.name(),
        chart.toAbsolutePath().toString(),
        kubeconfig.toAbsolutePath().toString(),
        release.namespace(),
        release.name(),
        values.toAbsolutePath().toString());
  }

  /// The child's side of the command line above.
  public static void main(String[] arguments) {
    var process =
        new HelmProcess(
            Path.of(arguments[1]),
            Path.of(arguments[2]),
            new ReleaseName(arguments[3], arguments[4]),
            Path.of(arguments[5]));
    try {
      process.runHere(Action.valueOf(arguments[0]));
    } catch (IllegalStateException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private void runHere(Action action) {
    var helm = new Helm(chart);
    switch (action) {
      case INSTALL ->
          helm.install()
              .withKubeConfig(kubeconfig)
              .withName(release.name())
              .withNamespace(release.namespace())
              .createNamespace()
              .withValuesFile(values)
              .call();
      case UPGRADE ->
          helm.upgrade()
              .withKubeConfig(kubeconfig)
              .withName(release.name())
              .withNamespace(release.namespace())
              .resetValues()
              .withValuesFile(values)
              .call();
    }
  }
}
