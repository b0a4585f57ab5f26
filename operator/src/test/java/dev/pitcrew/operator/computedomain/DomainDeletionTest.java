package dev.pitcrew.operator.computedomain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.computedomain.DomainDeletion.Step;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A cluster in which nothing but the steps happens.
class DomainDeletionTest {
  private static final List<String> IN_ORDER =
      List.of(
          "delete dom-channel",
          "delete computedomain-daemon-u",
          "delete DaemonSet",
          "unlabel [n1, n2]",
          "release dom-channel",
          "release computedomain-daemon-u",
          "release DaemonSet",
          "release dom");

  private static final class Cluster {
    private final Map<String, HasMetadata> objects = new LinkedHashMap<>();
    private List<String> nodes = List.of("n1", "n2");

    Cluster() {
      var made =
          new DomainObjects(
              new Domain("u", "team", "dom", 2, "dom-channel", "Single"), "dra", "i", List.of());
      objects.put("dom-channel", made.workloadTemplate());
      objects.put("computedomain-daemon-u", made.daemonTemplate());
      objects.put("DaemonSet", made.daemonSet());
      var domain =
          new DomainObjects(
                  new Domain("u", "team", "dom", 2, "dom", "Single"), "dra", "i", List.of())
              .workloadTemplate();
      domain.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
      objects.put("dom", domain);
    }

    HasMetadata workloadTemplate() {
      return Objects.requireNonNull(objects.get("dom-channel"));
    }

    Step next() {
      var templates = new ArrayList<HasMetadata>();
      Optional.ofNullable(objects.get("computedomain-daemon-u")).ifPresent(templates::add);
      Optional.ofNullable(objects.get("dom-channel")).ifPresent(templates::add);
      return new DomainDeletion(
              Optional.ofNullable(objects.get("dom")),
              templates,
              Optional.ofNullable(objects.get("DaemonSet")).stream().toList(),
              nodes)
          .next();
    }

    private String name(HasMetadata object) {
      return objects.entrySet().stream()
          .filter(it -> it.getValue().equals(object))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElseThrow();
    }

    String perform(Step step) {
      return switch (step) {
        case Step.Delete(var object) -> {
          object.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
          yield "delete " + name(object);
        }
        case Step.Release(var object) -> {
          var name = name(object);
          object.getMetadata().getFinalizers().remove(DomainLabels.FINALIZER);
          if (object.getMetadata().getFinalizers().isEmpty()) {
            objects.remove(name);
          }
          yield "release " + name;
        }
        case Step.Unlabel(var unlabelled) -> {
          nodes = List.of();
          yield "unlabel " + unlabelled;
        }
        case Step.Await(var object) -> "await " + name(object);
        case Step.Finished() -> "finished";
      };
    }
  }

  @Test
  void theOrderIsThatOfTheRecording() {
    var cluster = new Cluster();
    var steps = new ArrayList<String>();
    for (Step step = cluster.next(); !(step instanceof Step.Finished); step = cluster.next()) {
      steps.add(cluster.perform(step));
    }

    assertThat(steps).isEqualTo(IN_ORDER);
    assertThat(cluster.objects).isEmpty();
  }

  /// Objects that other programs have deleted, or that never were.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void whateverIsMissingTheRestGoesInTheSameOrder(int seed) {
    var random = new Random(seed);
    var cluster = new Cluster();
    cluster.objects.keySet().removeIf(_ -> random.nextBoolean());
    if (random.nextBoolean()) {
      cluster.nodes = List.of();
    }
    var steps = new ArrayList<String>();
    for (Step step = cluster.next(); !(step instanceof Step.Finished); step = cluster.next()) {
      steps.add(cluster.perform(step));
    }

    assertThat(steps).isEqualTo(IN_ORDER.stream().filter(steps::contains).toList());
    assertThat(cluster.objects).isEmpty();
    assertThat(cluster.nodes).isEmpty();
  }

  @Test
  void theDomainStaysWhileAnotherProgramHoldsAnObject() {
    var cluster = new Cluster();
    cluster.workloadTemplate().getMetadata().getFinalizers().add("example.com/other");
    var step = cluster.next();
    while (!(step instanceof Step.Await)) {
      cluster.perform(step);
      step = cluster.next();
    }

    assertThat(cluster.perform(step)).isEqualTo("await dom-channel");
    assertThat(cluster.objects).containsKey("dom");
  }
}
