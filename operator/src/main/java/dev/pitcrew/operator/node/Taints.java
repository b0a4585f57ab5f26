package dev.pitcrew.operator.node;

import dev.pitcrew.core.requests.Taint;
import dev.pitcrew.core.requests.Toleration;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads the taints of a node, and what a pod tolerates.
public final class Taints {
  private Taints() {}

  public static List<Taint> of(Node node) {
    return node.getSpec() == null
        ? List.of()
        : Objects.requireNonNullElse(
                node.getSpec().getTaints(), List.<io.fabric8.kubernetes.api.model.Taint>of())
            .stream()
            .map(it -> new Taint(it.getKey(), orEmpty(it.getValue()), it.getEffect()))
            .toList();
  }

  public static List<Toleration> tolerations(
      @Nullable Collection<io.fabric8.kubernetes.api.model.Toleration> tolerations) {
    return tolerations == null
        ? List.of()
        : tolerations.stream()
            .map(it ->
                new Toleration(
                    orEmpty(it.getKey()),
                    orEmpty(it.getOperator()),
                    orEmpty(it.getValue()),
                    orEmpty(it.getEffect())))
            .toList();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
