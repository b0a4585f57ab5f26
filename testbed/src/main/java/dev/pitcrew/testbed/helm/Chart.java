package dev.pitcrew.testbed.helm;

import com.marcnuri.helm.Helm;
import dev.pitcrew.testbed.binaries.Binary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A Helm chart in a folder.
///
/// Every failure of Helm is an [IllegalStateException] with Helm's own words.
public record Chart(Path folder) {
  /// The version that the chart is rendered for where no cluster is asked: ours.
  static final String KUBERNETES = "v" + Binary.KUBE_APISERVER.version();

  /// The manifests that an install would send to our version of Kubernetes, as one YAML stream;
  /// Helm's library leaves hooks out.
  public String template(ReleaseName release, Values values) {
    return template(release, values, KUBERNETES);
  }

  /// The same for another version of Kubernetes, such as `v1.31.0`.
  public String template(ReleaseName release, Values values, String kubernetes) {
    return values.inFile(file ->
        new Helm(folder)
            .template()
            .withName(release.name())
            .withNamespace(release.namespace())
            .withKubeVersion(kubernetes)
            .withValuesFile(file)
            .call());
  }

  /// What Helm prints for the user after an install.
  public String notes(ReleaseName release, Values values) {
    return values.inFile(file -> new HelmProcess(folder, release, file).notes());
  }

  /// What a strict lint has to say.
  public Lint lint() {
    var result = new Helm(folder).lint().strict().call();
    return new Lint(!result.isFailed(), List.copyOf(result.getMessages()));
  }

  /// A copy of this chart in which one text stands for another.
  ///
  /// @param target a folder that is empty, or to be created
  public Chart copy(Path target, String from, String to) {
    try (var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var copied = target.resolve(folder.relativize(file));
        Files.createDirectories(copied.resolveSibling("."));
        Files.writeString(copied, Files.readString(file).replace(from, to));
      }
      return new Chart(target);
    } catch (IOException e) {
      throw new UncheckedIOException("copy the chart " + folder + " to " + target, e);
    }
  }

  /// Installs the chart, creating the namespace, and does not wait for pods.
  public void install(Path kubeconfig, ReleaseName release, Values values) {
    var _ = values.inFile(file -> new HelmProcess(folder, release, file).install(kubeconfig));
  }

  /// Upgrades an installed release to this chart with these values and no older ones.
  public void upgrade(Path kubeconfig, ReleaseName release, Values values) {
    var _ = values.inFile(file -> new HelmProcess(folder, release, file).upgrade(kubeconfig));
  }

  /// The same with the values of the release before, where `values` do not say otherwise, in place
  /// of the chart's defaults: `--reuse-values`.
  public void upgradeReusingValues(Path kubeconfig, ReleaseName release, Values values) {
    var _ =
        values.inFile(file -> new HelmProcess(folder, release, file).upgradeReusing(kubeconfig));
  }

  /// The same as [#upgrade], and a rollback to the revision before where not all pods are ready
  /// half a minute later, which is a failure: `--atomic`.
  public void upgradeOrRollBack(Path kubeconfig, ReleaseName release, Values values) {
    var _ =
        values.inFile(file -> new HelmProcess(folder, release, file).upgradeOrRollBack(kubeconfig));
  }

  /// Removes a release with its hooks; custom resource definitions of the chart stay.
  public static void uninstall(Path kubeconfig, ReleaseName release) {
    Helm.uninstall(release.name())
        .withKubeConfig(kubeconfig)
        .withNamespace(release.namespace())
        .call();
  }

  /// Where a release is.
  public record ReleaseName(String namespace, String name) {}

  /// The verdict of a lint, with one line per finding.
  public record Lint(boolean isClean, List<String> messages) {}
}
