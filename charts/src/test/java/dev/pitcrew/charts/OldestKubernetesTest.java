package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The oldest Kubernetes that is supported is the one that serves all that the chart installs, and
/// every text says the same one.
class OldestKubernetesTest {
  private static final Path ROOT = Path.of("..");
  private static final String CHART = "charts/pitcrew/Chart.yaml";
  private static final Pattern CLAIM = Pattern.compile("Kubernetes 1\\.(\\d+) or newer");

  /// The minor version of Kubernetes 1 that first served each kind of it that the chart installs.
  private static final Map<String, Integer> SERVED_SINCE =
      Map.ofEntries(
          entry("v1/ServiceAccount", 0),
          entry("batch/v1/Job", 2),
          entry("networking.k8s.io/v1/NetworkPolicy", 7),
          entry("rbac.authorization.k8s.io/v1/ClusterRole", 8),
          entry("rbac.authorization.k8s.io/v1/ClusterRoleBinding", 8),
          entry("rbac.authorization.k8s.io/v1/Role", 8),
          entry("rbac.authorization.k8s.io/v1/RoleBinding", 8),
          entry("apps/v1/Deployment", 9),
          // And the API server names the node in the token of a pod, which the policies ask for.
          entry("admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy", 30),
          entry("admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding", 30));

  @Test
  void oldestKubernetes_servesAllThatTheChartInstalls() throws IOException {
    var kinds =
        new TreeSet<>(
            PitcrewChart.shared().render("{}").objects().stream()
                .map(it -> it.path("apiVersion").asText() + "/" + it.path("kind").asText())
                .filter(it -> !it.contains("nvidia.com/") && !it.contains("pitcrew.dev/"))
                .toList());

    assertThat(kinds).isEqualTo(new TreeSet<>(SERVED_SINCE.keySet()));
    assertThat(oldest())
        .isEqualTo(SERVED_SINCE.values().stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  @Test
  void helmRefusesAnOlderOne() throws IOException {
    int oldest = oldest();

    assertThatThrownBy(() -> PitcrewChart.shared().manifestsFor("v1.%d.9".formatted(oldest - 1)))
        .hasMessageContaining("chart requires kubeVersion");
    // Managed clusters have a suffix, which a range without one would refuse.
    assertThatCode(() -> PitcrewChart.shared().manifestsFor("v1.%d.0-gke.1".formatted(oldest)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/install.md",
        "charts/pitcrew/README.md",
        "charts/pitcrew/templates/NOTES.txt"
      })
  void whereAUserLooksItIsSaid(String file) throws IOException {
    assertThat(claims(ROOT.resolve(file))).isNotEmpty();
  }

  @Test
  void noTextSaysAnother() throws IOException {
    int oldest = oldest();
    try (var docs = Files.list(ROOT.resolve("docs"));
        var chart = Files.walk(ROOT.resolve("charts/pitcrew"))) {
      List<Path> files =
          Stream.of(docs, chart, Stream.of(ROOT.resolve("README.md")))
              .flatMap(it -> it)
              .filter(Files::isRegularFile)
              .toList();
      for (Path file : files) {
        assertThat(claims(file)).as(file.toString()).allMatch(it -> it == oldest);
      }
    }
  }

  private static int oldest() throws IOException {
    var range = Yaml.document(ROOT.resolve(CHART)).path("kubeVersion").asText();
    assertThat(range).matches(">= 1\\.\\d+\\.0-0");
    return Integer.parseInt(range.split("\\.", -1)[1]);
  }

  private static List<Integer> claims(Path file) throws IOException {
    return CLAIM
        .matcher(Files.readString(file))
        .results()
        .map((MatchResult it) -> Integer.valueOf(it.group(1)))
        .toList();
  }
}
