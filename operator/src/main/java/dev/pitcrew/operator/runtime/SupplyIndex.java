package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.operator.requests.GpuSupply;
import dev.pitcrew.operator.requests.NodeOffer;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// What the nodes have of GPUs, kept up to date change by change and added up only when somebody
/// asks.
final class SupplyIndex {
  private record Sum(long version, GpuSupply supply) {}

  private final Map<String, NodeOffer> offers = new ConcurrentHashMap<>();
  private final AtomicLong version = new AtomicLong();
  private final AtomicReference<Sum> sum =
      new AtomicReference<>(new Sum(-1, GpuSupply.of(Map.<String, NodeOffer>of().values())));

  /// Takes a change in.
  ///
  /// @return whether what nodes have is different now
  boolean take(Change<Node> change) {
    NodeOffer offer = NodeOffer.of(change.latest());
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

  GpuSupply supply() {
    long now = version.get();
    Sum known = sum.get();
    if (known.version() == now) {
      return known.supply();
    }
    var supply = GpuSupply.of(offers.values());
    sum.set(new Sum(now, supply));
    return supply;
  }
}
