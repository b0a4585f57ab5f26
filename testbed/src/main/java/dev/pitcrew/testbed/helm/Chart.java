package dev.pitcrew.testbed.helm;

import com.marcnuri.helm.Helm;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.helm.HelmProcess.Action;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// A Helm chart in a folder. Values are nested maps, lists and scalars, as in a values file.
///
/// Every failure of Helm is an [IllegalStateException] with Helm's own words.
public record Chart(Path folder) {
  /// All manifests that an install would send to our version of Kubernetes, hooks included, as one
  /// YAML stream.
  public String template(ReleaseName release, Map<String, ?> values) {
    return withValues(
        values,
        file ->
            helm()
                .template()
                .withName(release.name())
                .withNamespace(release.namespace())
                .withKubeVersion("v" + Binary.KUBE_APISERVER.version())
                .withValuesFile(file)
                .call());
  }

  /// What a strict lint has to say.
  public Lint lint() {
    var result = helm().lint().strict().call();
    return new Lint(!result.isFailed(), List.copyOf(result.getMessages()));
  }

  /// Installs the chart, creating the namespace, and does not wait for pods.
  public void install(Path kubeconfig, ReleaseName release, Map<String, ?> values) {
    change(Action.INSTALL, kubeconfig, release, values);
  }

  /// Upgrades an installed release to this chart with these values and no older ones.
  public void upgrade(Path kubeconfig, ReleaseName release, Map<String, ?> values) {
    change(Action.UPGRADE, kubeconfig, release, values);
  }

  private void change(Action action, Path kubeconfig, ReleaseName release, Map<String, ?> values) {
    var _ =
        withValues(values, file -> new HelmProcess(folder, kubeconfig, release, file).run(action));
  }

  /// Removes a release with its hooks; custom resource definitions of the chart stay.
  public static void uninstall(Path kubeconfig, ReleaseName release) {
    Helm.uninstall(release.name())
        .withKubeConfig(kubeconfig)
        .withNamespace(release.namespace())
        .call();
  }

  private Helm helm() {
    return new Helm(folder);
  }

  private static <T> T withValues(Map<String, ?> values, Function<Path, T> action) {
    try {
      var file = Files.createTempFile("pitcrew-values-", ".yaml");
      try {
        Files.writeString(file, Serialization.asYaml(values));
        return action.apply(file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("write Helm values to a temporary file", e);
    }
  }

  /// Where a release is.
  public record ReleaseName(String namespace, String name) {}

  /// The verdict of a lint, with one line per finding.
  public record Lint(boolean isClean, List<String> messages) {}
}
