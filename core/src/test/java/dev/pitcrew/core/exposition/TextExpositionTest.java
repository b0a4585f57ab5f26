package dev.pitcrew.core.exposition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TextExpositionTest {
  @Test
  void aPageHasAHeadForEachMetricAndALineForEachSample() {
    String page =
        new TextExposition()
            .metric("gpus", MetricType.GAUGE, "How many.")
            .sample(List.of(), 8)
            .metric("errors_total", MetricType.COUNTER, "Of each kind.")
            .sample(List.of(new MetricLabel("kind", "a"), new MetricLabel("gpu", "0")), 0.5)
            .sample(List.of(new MetricLabel("kind", "b")), 1_790_000_000.0)
            .text();

    assertThat(page)
        .isEqualTo(
            """
            # HELP gpus How many.
            # TYPE gpus gauge
            gpus 8
            # HELP errors_total Of each kind.
            # TYPE errors_total counter
            errors_total{kind="a",gpu="0"} 0.5
            errors_total{kind="b"} 1790000000
            """);
  }

  @Test
  void histogramHasALineForEachBucketAndForAll() {
    String page =
        new TextExposition()
            .metric("seconds", MetricType.HISTOGRAM, "How long.")
            .histogram(
                List.of(new MetricLabel("kind", "a")),
                new TreeMap<>(Map.of(0.1, 1L, 2.0, 3L)),
                4,
                9.5)
            .text();

    assertThat(page)
        .isEqualTo(
            """
            # HELP seconds How long.
            # TYPE seconds histogram
            seconds_bucket{kind="a",le="0.1"} 1
            seconds_bucket{kind="a",le="2"} 3
            seconds_bucket{kind="a",le="+Inf"} 4
            seconds_sum{kind="a"} 9.5
            seconds_count{kind="a"} 4
            """);
  }

  @Test
  void noTextEndsItsLineOrItsQuotes() {
    String page =
        new TextExposition()
            .metric("m", MetricType.GAUGE, "a\\b\n\"c\"")
            .sample(List.of(new MetricLabel("l", "a\\b\n\"c\"")), 1)
            .text();

    assertThat(page)
        .isEqualTo("# HELP m a\\\\b\\n\"c\"\n# TYPE m gauge\nm{l=\"a\\\\b\\n\\\"c\\\"\"} 1\n");
  }

  @Test
  void specialNumbers_haveNames() {
    String page =
        new TextExposition()
            .metric("m", MetricType.GAUGE, "")
            .sample(List.of(), Double.NaN)
            .sample(List.of(), Double.POSITIVE_INFINITY)
            .sample(List.of(), Double.NEGATIVE_INFINITY)
            .sample(List.of(), -1)
            .text();

    assertThat(page).endsWith("m NaN\nm +Inf\nm -Inf\nm -1\n");
  }

  @Test
  void aNameThatPrometheusWouldNotReadIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TextExposition().metric("a b", MetricType.GAUGE, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> new MetricLabel("a-b", ""));
  }
}
