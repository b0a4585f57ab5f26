package dev.pitcrew.operator.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The taints of a node and which of them a pod tolerates, by the rules of the scheduler.
public final class Taints {
  private static final String EXISTS = "Exists";
  private static final String EQUAL = "Equal";

  private Taints() {}

  public static List<Taint> of(Node node) {
    return node.getSpec() == null
        ? List.of()
        : Objects.requireNonNullElse(node.getSpec().getTaints(), List.of());
  }

  /// Whether it keeps no pod off, but for better nodes.
  public static boolean isPreference(Taint taint) {
    return taint.getEffect().equals("PreferNoSchedule");
  }

  public static boolean isTolerated(Taint taint, Collection<Toleration> tolerations) {
    return tolerations.stream().anyMatch(toleration -> covers(toleration, taint));
  }

  /// The narrowest toleration of a taint, as a manifest has it.
  public static String toleration(Taint taint) {
    return orEmpty(taint.getValue()).isEmpty()
        ? "{key: %s, operator: %s, effect: %s}".formatted(taint.getKey(), EXISTS, taint.getEffect())
        : "{key: %s, operator: %s, value: %s, effect: %s}"
            .formatted(taint.getKey(), EQUAL, taint.getValue(), taint.getEffect());
  }

  /// Such as `nvidia.com/gpu=present:NoSchedule`.
  public static String text(Taint taint) {
    String value = orEmpty(taint.getValue());
    return "%s%s:%s"
        .formatted(taint.getKey(), value.isEmpty() ? "" : "=" + value, taint.getEffect());
  }

  private static boolean covers(Toleration toleration, Taint taint) {
    return isAnyOr(toleration.getEffect(), taint.getEffect())
        && isAnyOr(toleration.getKey(), taint.getKey())
        && (EXISTS.equals(toleration.getOperator())
            || orEmpty(toleration.getValue()).equals(orEmpty(taint.getValue())));
  }

  private static boolean isAnyOr(@Nullable String wanted, String value) {
    return orEmpty(wanted).isEmpty() || value.equals(wanted);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
