package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.requests.Choice;
import dev.pitcrew.core.requests.Choices;
import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.Placement;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.operator.requests.RequestReading;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// The GPUs of the nodes, kept up to date change by change and added up only on request.
final class SupplyIndex {
  private record Sum(long version, Choices choices) {
    static Sum of(long version, Collection<NodeOffer> offers) {
      return new Sum(version, new Choices(offers));
    }
  }

  private final Map<String, NodeOffer> offers = new ConcurrentHashMap<>();
  private final AtomicLong version = new AtomicLong();
  private final AtomicReference<Sum> sum = new AtomicReference<>(Sum.of(-1, List.of()));

  /// Takes a change in.
  ///
  /// @return whether what nodes have is different now
  boolean take(Change<Node> change) {
    NodeOffer offer = RequestReading.offer(change.latest());
    boolean isOffered = offer.matters() && !(change instanceof Change.Deleted<Node>);
    boolean isNews =
        isOffered
            ? !offer.equals(offers.put(offer.node(), offer))
            : offers.remove(offer.node()) != null;
    if (isNews) {
      version.incrementAndGet();
    }
    return isNews;
  }

  /// What a pod can choose from that may run there.
  Choice choice(Placement placement) {
    return sum().choices().of(placement);
  }

  private Sum sum() {
    long now = version.get();
    Sum known = sum.get();
    if (known.version() == now) {
      return known;
    }
    Sum next = Sum.of(now, offers.values());
    sum.set(next);
    return next;
  }
}
