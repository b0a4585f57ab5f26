package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.cluster.PulledImage;
import dev.pitcrew.cli.cluster.RunningImage;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which images nodes pull, and what to copy of them.
class ImageRowTest {
  private static final List<PulledImage> PULLED =
      List.of(
          new PulledImage("r/driver:1", "DaemonSet d"),
          new PulledImage("r/agent:1", "DaemonSet a"),
          new PulledImage("r/agent:1", "Deployment o"));

  @Test
  void image_isNamedOnce_withAllThatUseIt_andTheDigestOfTheNodes() {
    List<ImageRow> rows =
        ImageRow.of(
            PULLED,
            List.of(
                new RunningImage("r/agent:1", "sha256:aa", "n1"),
                new RunningImage("r/agent:1", "sha256:aa", "n2"),
                new RunningImage("r/agent:1", "", ""),
                new RunningImage("r/other:1", "sha256:cc", "n1")));

    assertThat(rows)
        .containsExactly(
            new ImageRow(
                "r/agent:1", List.of("sha256:aa"), List.of("DaemonSet a", "Deployment o"), 2),
            new ImageRow("r/driver:1", List.of(), List.of("DaemonSet d"), 0));
    assertThat(rows)
        .extracting(ImageRow::reference)
        .containsExactly("r/agent:1@sha256:aa", "r/driver:1");
  }

  /// A tag that was pushed again: neither digest is the one that is meant.
  @Test
  void nodesThatDiffer_leaveTheTag() {
    List<ImageRow> rows =
        ImageRow.of(
            PULLED,
            List.of(
                new RunningImage("r/driver:1", "sha256:bb", "n1"),
                new RunningImage("r/driver:1", "sha256:aa", "n2")));

    assertThat(rows.getLast().digests()).containsExactly("sha256:aa", "sha256:bb");
    assertThat(rows.getLast().reference()).isEqualTo("r/driver:1");
  }
}
