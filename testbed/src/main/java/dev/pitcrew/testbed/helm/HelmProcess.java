package dev.pitcrew.testbed.helm;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.UpgradeCommand;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// Installs, for real or for show, and upgrades in a process of its own. For these Helm's library
/// waits for the signals that end a program and never gives them back, so that Ctrl-C would do
/// nothing ever after. Where Helm fails, an [IllegalStateException] has its words.
///
/// @param values files, a later one before an earlier one
record HelmProcess(Path chart, ReleaseName release, List<Path> values) {
  /// For each step: a hook takes a few seconds.
  private static final int READY_SECONDS = 30;

  /// In place of a kubeconfig where no cluster is asked.
  private static final Path NONE = Path.of("/dev/null");

  private enum Action {
    INSTALL,
    UPGRADE,
    UPGRADE_REUSING,
    UPGRADE_OR_ROLL_BACK,
    NOTES
  }

  /// Returns when the release is installed in the cluster of `kubeconfig`.
  String install(Path kubeconfig) {
    return run(Action.INSTALL, kubeconfig);
  }

  /// Returns when the release is upgraded in the cluster of `kubeconfig`.
  String upgrade(Path kubeconfig) {
    return run(Action.UPGRADE, kubeconfig);
  }

  /// Returns when the release is upgraded with the values that it had before.
  String upgradeReusing(Path kubeconfig) {
    return run(Action.UPGRADE_REUSING, kubeconfig);
  }

  /// Returns when the release is upgraded and its pods are ready.
  String upgradeOrRollBack(Path kubeconfig) {
    return run(Action.UPGRADE_OR_ROLL_BACK, kubeconfig);
  }

  /// What an install would print, without a cluster.
  String notes() {
    return run(Action.NOTES, NONE);
  }

  /// @return what the child prints
  private String run(Action action, Path kubeconfig) {
    try {
      var words = Files.createTempFile("pitcrew-helm-", ".log");
      try {
        var builder =
            new ProcessBuilder(commandLine(action, kubeconfig)).redirectError(words.toFile());
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
          throw new IllegalStateException(Files.readString(words).strip());
        }
        return output;
      } finally {
        Files.delete(words);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("run Helm", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Helm was at work", e);
    }
  }

  private List<String> commandLine(Action action, Path kubeconfig) {
    var java =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            HelmProcess.class.getName(),
            action.name(),
            release.namespace(),
            release.name());
    var files = Stream.concat(Stream.of(chart, kubeconfig), values.stream());
    return Stream.concat(java.stream(), files.map(file -> file.toAbsolutePath().toString()))
        .toList();
  }

  /// The child's side of the command line above.
  public static void main(String[] arguments) {
    var release = new ReleaseName(arguments[1], arguments[2]);
    var kubeconfig = Path.of(arguments[4]);
    var values = Stream.of(arguments).skip(5).map(Path::of).toList();
    var process = new HelmProcess(Path.of(arguments[3]), release, values);
    try {
      switch (Action.valueOf(arguments[0])) {
        case INSTALL -> process.installHere(kubeconfig);
        case UPGRADE -> process.upgradeHere(kubeconfig, UpgradeCommand::resetValues);
        case UPGRADE_REUSING -> process.upgradeHere(kubeconfig, UpgradeCommand::reuseValues);
        case UPGRADE_OR_ROLL_BACK ->
            process.upgradeHere(
                kubeconfig, upgrade -> upgrade.resetValues().atomic().withTimeout(READY_SECONDS));
        case NOTES -> System.out.print(process.notesHere());
      }
    } catch (IllegalStateException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }

  private void installHere(Path kubeconfig) {
    var install =
        new Helm(chart)
            .install()
            .withKubeConfig(kubeconfig)
            .withName(release.name())
            .withNamespace(release.namespace())
            .createNamespace();
    values.forEach(install::withValuesFile);
    install.call();
  }

  private void upgradeHere(Path kubeconfig, UnaryOperator<UpgradeCommand> former) {
    var upgrade =
        former
            .apply(new Helm(chart).upgrade())
            .withKubeConfig(kubeconfig)
            .withName(release.name())
            .withNamespace(release.namespace());
    values.forEach(upgrade::withValuesFile);
    upgrade.call();
  }

  private String notesHere() {
    var install =
        new Helm(chart)
            .install()
            .withName(release.name())
            .withNamespace(release.namespace())
            .withKubeVersion(Chart.KUBERNETES)
            .withDryRunOption(DryRun.CLIENT)
            .clientOnly();
    values.forEach(install::withValuesFile);
    var output = install.call().getOutput();
    return output.substring(output.indexOf("NOTES:"));
  }
}
