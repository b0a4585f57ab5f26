package dev.pitcrew.core.requests;

import dev.pitcrew.core.requests.GpuDemand.Ask;
import dev.pitcrew.core.requests.GpuSupply.Offer;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedCollection;
import java.util.stream.Collectors;

/// The words of an Event on a pod: what it asks for, what there is, what to do.
final class Notes {
  private static final int MOST_NAMES = 5;

  /// An Event takes 1024 bytes, and the remedy comes last.
  private static final int MOST_LETTERS = 300;

  /// A pod's requests cannot be changed, and users seldom write the pod directly.
  private static final String OF_THE_POD =
      "of the pod, or of the template in the Deployment or Job that makes it";

  private static final String WHERE = "in resources.limits " + OF_THE_POD;

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
              ? ": add a node with GPUs; if there is one, kubectl describe clusterpolicy shows what it waits for"
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
    return ": node %s has %d, but no node offers more than %d that are healthy: kubectl describe gpunode %s shows why the others are unhealthy"
        .formatted(offer.node(), offer.capacity(), offer.allocatable(), offer.node());
  }

  static String rememberedOnly(GpuSupply supply, String resource) {
    String node = Objects.requireNonNull(supply.offers().get(resource)).node();
    return ", of which no node offers one now; node %s had it: kubectl describe gpunode %s shows why it has none"
        .formatted(node, node);
  }

  static String notTogether(GpuDemand demand, GpuSupply supply) {
    return "the pod asks for %s, and no node that is there now has these together: ask for one of them %s, and spread the work over several pods"
            .formatted(asked(demand), WHERE)
        + (supply.silent().isEmpty() ? "" : beingSetUp(supply));
  }

  static String elsewhere(GpuDemand demand, Choice choice) {
    return "the pod asks for %s, and of the nodes on which it may run (%s) %s, while others have enough: correct nodeSelector or affinity %s%s"
            .formatted(
                asked(demand),
                shortened(choice.placement().words()),
                most(demand, choice.allowed()),
                OF_THE_POD,
                fewer(demand, choice.allowed()))
        + (choice.everywhere().silent().isEmpty() ? "" : beingSetUp(choice.everywhere()));
  }

  /// Of the nodes that could run it, the one that lacks the fewest tolerations is named.
  static String keptOff(GpuDemand demand, Choice choice) {
    Collection<Toleration> tolerations = choice.placement().tolerations();
    List<NodeOffer> nodes =
        choice.closed().stream()
            .filter(node -> node.has(demand))
            .sorted(
                Comparator.comparingInt((NodeOffer node) -> node.untolerated(tolerations).size())
                    .thenComparing(NodeOffer::node))
            .toList();
    NodeOffer example = nodes.getFirst();
    List<Taint> taints = example.untolerated(tolerations);
    return "the pod asks for %s, and it tolerates the taints of none of the %d nodes that have as many, such as %s (%s): if it may run there, add to spec.tolerations %s, %s"
        .formatted(
            asked(demand),
            nodes.size(),
            example.node(),
            taints.stream().map(Taint::text).collect(Collectors.joining(", ")),
            OF_THE_POD,
            taints.stream().map(Taint::toleration).collect(Collectors.joining(", ")));
  }

  private static String most(GpuDemand demand, GpuSupply allowed) {
    if (demand.asks().size() > 1) {
      return "none has these together";
    }
    return allowed
        .offer(demand.asks().firstKey())
        .map(offer ->
            "none has more than %d (the largest is %s)".formatted(offer.capacity(), offer.node()))
        .orElse("none has any");
  }

  private static String fewer(GpuDemand demand, GpuSupply allowed) {
    return Optional.of(demand.asks())
        .filter(asks -> asks.size() == 1)
        .flatMap(asks -> allowed.offer(asks.firstKey()))
        .map(offer -> ", or ask for at most %d".formatted(offer.capacity()))
        .orElse("");
  }

  private static String shortened(String words) {
    return words.length() <= MOST_LETTERS ? words : words.substring(0, MOST_LETTERS) + "…";
  }

  private static String asked(GpuDemand demand) {
    return demand.asks().entrySet().stream()
        .map(ask -> "%d %s".formatted(ask.getValue().count(), ask.getKey()))
        .collect(Collectors.joining(" and "));
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
