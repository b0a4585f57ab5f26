package dev.pitcrew.kube.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.cache.Change.Added;
import dev.pitcrew.kube.cache.Change.Deleted;
import dev.pitcrew.kube.cache.Change.Updated;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The changes that a listener has received, as short texts: `+name=value`, `~name=value` and
/// `-name`.
final class RecordingListener<T extends HasMetadata> implements Consumer<Change<T>> {

  private static final long LIMIT_SECONDS = 40;
  private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

  @Override
  public void accept(Change<T> change) {
    String text =
        switch (change) {
          case Added<T>(T object) -> "+" + described(object);
          case Updated<T>(_, T after) -> "~" + described(after);
          case Deleted<T>(T last) -> "-" + last.getMetadata().getName();
        };
    if (!text.contains(
        "kube-root-ca.crt")) { // the controller manager puts one into every namespace
      changes.add(text);
    }
  }

  /// Waits for the next changes and expects exactly these.
  void expect(String... expected) throws InterruptedException {
    for (String change : expected) {
      assertThat(changes.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(change);
    }
  }

  /// The changes that were received and not expected yet.
  BlockingQueue<String> rest() {
    return changes;
  }

  private static String described(HasMetadata object) {
    return object.getMetadata().getName() + "=" + object.getMetadata().getLabels().get("value");
  }
}
