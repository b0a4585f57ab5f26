package dev.pitcrew.testbed.helm;

import com.marcnuri.helm.Helm;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.image.BuiltImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// A Helm chart in a folder, or in an archive as Helm packages it.
///
/// Every failure of Helm is an [IllegalStateException] with Helm's own words.
///
/// @param base values in front of those that are given, which override them
public record Chart(Path folder, Values base) {
  /// The version that the chart is rendered for where no cluster is asked: ours.
  static final String KUBERNETES = "v" + Binary.KUBE_APISERVER.version();

  /// With the chart's own values in front.
  public Chart(Path folder) {
    this(folder, Values.DEFAULTS);
  }

  /// Our chart with the image that `make image` builds, which is on the nodes and in no registry.
  public static Chart withBuiltImage(Path folder) {
    var image = Map.of("repository", BuiltImage.REPOSITORY);
    return new Chart(folder, Values.of(Map.of("pitcrew", Map.of("image", image))));
  }

  /// The manifests that an install would send to our version of Kubernetes, as one YAML stream;
  /// Helm's library leaves hooks out.
  public String template(ReleaseName release, Values values) {
    return template(release, values, KUBERNETES);
  }

  /// The same for another version of Kubernetes, such as `v1.31.0`.
  public String template(ReleaseName release, Values values, String kubernetes) {
    return inFiles(
        values,
        files -> {
          var template =
              new Helm(folder)
                  .template()
                  .withName(release.name())
                  .withNamespace(release.namespace())
                  .withKubeVersion(kubernetes);
          files.forEach(template::withValuesFile);
          return template.call();
        });
  }

  /// What Helm prints for the user after an install.
  public String notes(ReleaseName release, Values values) {
    return inFiles(values, files -> new HelmProcess(folder, release, files).notes());
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
      return new Chart(target, base);
    } catch (IOException e) {
      throw new UncheckedIOException("copy the chart " + folder + " to " + target, e);
    }
  }

  /// Installs the chart, creating the namespace, and does not wait for pods.
  public void install(Path kubeconfig, ReleaseName release, Values values) {
    var _ = inFiles(values, files -> new HelmProcess(folder, release, files).install(kubeconfig));
  }

  /// Upgrades an installed release to this chart with these values and no older ones.
  public void upgrade(Path kubeconfig, ReleaseName release, Values values) {
    var _ = inFiles(values, files -> new HelmProcess(folder, release, files).upgrade(kubeconfig));
  }

  /// The same with the values of the release before, where `values` do not say otherwise, in place
  /// of the chart's defaults: `--reuse-values`.
  public void upgradeReusingValues(Path kubeconfig, ReleaseName release, Values values) {
    var _ =
        inFiles(
            values, files -> new HelmProcess(folder, release, files).upgradeReusing(kubeconfig));
  }

  /// The same as [#upgrade], and a rollback to the revision before where not all pods are ready
  /// half a minute later, which is a failure: `--atomic`.
  public void upgradeOrRollBack(Path kubeconfig, ReleaseName release, Values values) {
    var _ =
        inFiles(
            values, files -> new HelmProcess(folder, release, files).upgradeOrRollBack(kubeconfig));
  }

  /// Removes a release with its hooks; custom resource definitions of the chart stay.
  public static void uninstall(Path kubeconfig, ReleaseName release) {
    Helm.uninstall(release.name())
        .withKubeConfig(kubeconfig)
        .withNamespace(release.namespace())
        .call();
  }

  private <T> T inFiles(Values values, Function<List<Path>, T> action) {
    return base.inFile(first -> values.inFile(second -> action.apply(List.of(first, second))));
  }

  /// Packages the chart as Helm does, into a folder that is there; the name of the archive has the
  /// chart's version.
  public void packageInto(Path target) {
    var _ = new Helm(folder).packageIt().withDestination(target).call();
  }

  /// Pushes an archive of a chart below `remote`, such as `oci://registry.example.com/charts`, with
  /// the credentials of `helm registry login` or `docker login`.
  ///
  /// @return what Helm prints: the reference and the digest
  public static String push(Path archive, URI remote, boolean isPlainHttp) {
    var push = Helm.push().withChart(archive).withRemote(remote);
    return (isPlainHttp ? push.plainHttp() : push).call();
  }

  /// Where a release is.
  public record ReleaseName(String namespace, String name) {}

  /// The verdict of a lint, with one line per finding.
  public record Lint(boolean isClean, List<String> messages) {}
}
