package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When an object that could not be applied is tried again.
class ApplyFailuresTest {
  private static final Instant BEGIN = Instant.parse("2026-11-26T12:00:00Z");
  private final RuntimeException cause = new IllegalStateException("broken");

  private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
  private final ApplyFailures failures = new ApplyFailures(now::get);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thePausesBetweenFailuresAndRefusalsGrow(boolean isRefused) {
    var pauses = new ArrayList<Long>();
    for (int attempt = 0; attempt < 7; attempt++) {
      var retry =
          (isRefused ? failures.refused(object("1"), "no") : failures.failed(object("1"), cause))
              .retry();
      pauses.add(Duration.between(now.get(), retry).toSeconds());
      now.set(retry);
    }

    assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L);
  }

  @Test
  void aFailureStandsUntilItsPauseIsOver() {
    var failed = failures.failed(object("1"), cause);

    assertThat(failures.standing(object("1"))).contains(failed);
    now.set(failed.retry());
    assertThat(failures.standing(object("1"))).isEmpty();
  }

  @Test
  void changedObject_isRetriedAtOnce_andItsFailuresAreCountedFromZero() {
    failures.failed(object("1"), cause);
    failures.failed(object("1"), cause);

    assertThat(failures.standing(object("2"))).isEmpty();
    assertThat(failures.failed(object("2"), cause).retry()).isEqualTo(BEGIN.plusSeconds(1));
  }

  @Test
  void aClockThatIsSetBackEndsThePause() {
    failures.refused(object("1"), "no");

    now.set(BEGIN.minus(Duration.ofHours(1)));

    assertThat(failures.standing(object("1"))).isEmpty();
  }

  @Test
  void status_describesTheFirstFailure_andNamesTheOthers() {
    var several =
        Stream.of("a", "b", "c", "d", "e", "f")
            .map(name -> unapplied(name, name.equals("c") ? 3 : 9))
            .toList();

    assertThat(Unapplied.message(several.subList(0, 1))).isEqualTo("a is wrong");
    assertThat(Unapplied.message(several.subList(0, 2)))
        .isEqualTo("a is wrong; not applied either: ConfigMap b");
    assertThat(Unapplied.message(several))
        .endsWith("ConfigMap b, ConfigMap c, ConfigMap d, ConfigMap e and others");
    assertThat(Unapplied.untilRetry(several, BEGIN)).isEqualTo(Duration.ofSeconds(3));
    assertThat(Unapplied.untilRetry(List.of(), BEGIN)).isZero();
  }

  private static Unapplied unapplied(String name, int seconds) {
    return new Unapplied(
        ObjectKey.of("v1", "ConfigMap", "", name),
        new Problem("ObjectNotApplied", name + " is wrong"),
        BEGIN.plusSeconds(seconds));
  }

  private static HasMetadata object(String value) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName("one")
        .endMetadata()
        .addToData("value", value)
        .build();
  }
}
