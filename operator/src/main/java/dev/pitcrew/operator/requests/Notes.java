package dev.pitcrew.operator.requests;

import dev.pitcrew.operator.requests.GpuDemand.Ask;
import dev.pitcrew.operator.requests.GpuSupply.Offer;
import java.util.List;
import java.util.Objects;
import java.util.SequencedCollection;
import java.util.stream.Collectors;

/// The words of an Event on a pod: what it asks for, what there is, what to do.
final class Notes {
  private static final int MOST_NAMES = 5;

  /// A pod's requests cannot be changed, and seldom has somebody written the pod himself.
  private static final String WHERE =
      "in resources.limits of the pod, or of the template in the Deployment or Job that makes it";

  private Notes() {}

  static String asks(String resource, Ask ask) {
    List<String> containers = ask.containers();
    return containers.size() == 1
        ? "container %s asks for %d %s".formatted(containers.getFirst(), ask.count(), resource)
        : "containers %s ask for %d %s together".formatted(some(containers), ask.count(), resource);
  }

  static String unknown(String resource, GpuSupply supply) {
    if (supply.advertised().isEmpty()) {
      return ", and no node that is there now advertises a GPU"
          + (supply.silent().isEmpty()
              ? ": add a node with GPUs; if there is one, kubectl describe clusterpolicy tells what it waits for"
              : beingSetUp(supply));
    }
    List<String> nearest = NearestNames.of(resource, supply.advertised());
    String remedy =
        nearest.isEmpty()
            ? "ask for one of these "
            : "if you mean %s, write that ".formatted(String.join(" or ", nearest));
    return ", which no node that is there now advertises; advertised are %s: %s%s"
            .formatted(offers(supply), remedy, WHERE)
        + (supply.silent().isEmpty() ? "" : beingSetUp(supply));
  }

  static String tooMany(Offer offer, GpuSupply supply) {
    return ", and no node that is there now has more than %d (the largest is %s): ask for at most %d %s, and spread the work over several pods"
            .formatted(offer.capacity(), offer.node(), offer.capacity(), WHERE)
        + (supply.silent().isEmpty() ? "" : beingSetUp(supply));
  }

  static String oneOfShared() {
    return ", which is shared by MPS, and a container may have one share of a GPU only: ask for 1 "
        + WHERE;
  }

  static String withheld(Offer offer) {
    return ": node %s has %d, but no node offers more than %d that are healthy: kubectl describe gpunode %s tells what ails the others"
        .formatted(offer.node(), offer.capacity(), offer.allocatable(), offer.node());
  }

  static String rememberedOnly(GpuSupply supply, String resource) {
    String node = Objects.requireNonNull(supply.offers().get(resource)).node();
    return ", of which no node offers one now; node %s had it: kubectl describe gpunode %s tells why it has none"
        .formatted(node, node);
  }

  static String notTogether(GpuDemand demand, GpuSupply supply) {
    String asked =
        demand.asks().entrySet().stream()
            .map(ask -> "%d %s".formatted(ask.getValue().count(), ask.getKey()))
            .collect(Collectors.joining(" and "));
    return "the pod asks for %s, and no node that is there now has these together: ask for one of them %s, and spread the work over several pods"
            .formatted(asked, WHERE)
        + (supply.silent().isEmpty() ? "" : beingSetUp(supply));
  }

  private static String beingSetUp(GpuSupply supply) {
    return "; GPU nodes that advertise nothing yet: %s (kubectl describe gpunode %s)"
        .formatted(some(supply.silent()), supply.silent().first());
  }

  private static String offers(GpuSupply supply) {
    return some(
        supply.advertised().stream()
            .map(resource ->
                supply
                    .offer(resource)
                    .map(offer -> "%s (up to %d)".formatted(resource, offer.capacity()))
                    .orElse(resource))
            .toList());
  }

  private static String some(SequencedCollection<String> names) {
    String first = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
    int more = names.size() - MOST_NAMES;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
