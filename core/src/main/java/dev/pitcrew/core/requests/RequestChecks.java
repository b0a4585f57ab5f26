package dev.pitcrew.core.requests;

import dev.pitcrew.core.requests.GpuDemand.Ask;
import dev.pitcrew.core.requests.GpuSupply.Offer;
import dev.pitcrew.core.requests.Shortfall.Cause;
import java.util.List;
import java.util.Optional;

/// Whether the nodes that are there now could ever meet the requests of a pod. The order is that in
/// which a user would fix them: first the name, then the number.
public final class RequestChecks {
  @FunctionalInterface
  private interface Check {
    Optional<Shortfall> shortfall(Asked asked, GpuSupply supply);
  }

  /// One resource of a pod.
  private record Asked(String resource, Ask ask) {
    long count() {
      return ask.count();
    }

    String words() {
      return Notes.asks(resource, ask);
    }
  }

  private static final List<Check> OF_ONE_RESOURCE =
      List.of(
          RequestChecks::isNotAdvertised,
          RequestChecks::noNodeHasSoMany,
          RequestChecks::onlyOneOfShared,
          RequestChecks::notOfferedNow);

  private RequestChecks() {}

  /// Empty where some node on which the pod may run could do so once its GPUs are free, and where
  /// it asks for none.
  public static Optional<Shortfall> shortfall(GpuDemand demand, Choice choice) {
    return shortfall(demand, choice.everywhere())
        .or(() ->
            shortfall(demand, choice.allowed())
                .map(shortfall -> elsewhere(demand, choice, shortfall)))
        .or(() ->
            shortfall(demand, choice.open()).map(shortfall -> keptOff(demand, choice, shortfall)));
  }

  /// Other nodes could run it. A shortfall whose text names the nodes that the pod chooses is
  /// reported as it is.
  private static Shortfall elsewhere(GpuDemand demand, Choice choice, Shortfall there) {
    return switch (there.cause()) {
      case ONE_OF_SHARED_ONLY, NOT_OFFERED_NOW, NOT_WHERE_IT_MAY_RUN, NOT_TOLERATED -> there;
      // Labels come with the driver, so a node that is being set up may have them yet.
      case UNKNOWN_RESOURCE, TOO_MANY, NOT_TOGETHER ->
          new Shortfall(
              Cause.NOT_WHERE_IT_MAY_RUN,
              there.resource(),
              !choice.everywhere().silent().isEmpty(),
              Notes.elsewhere(demand, choice));
    };
  }

  /// Other nodes on which it may run could, but for their taints. A node that is open and is being
  /// set up may do yet.
  private static Shortfall keptOff(GpuDemand demand, Choice choice, Shortfall there) {
    return switch (there.cause()) {
      case ONE_OF_SHARED_ONLY, NOT_OFFERED_NOW, NOT_WHERE_IT_MAY_RUN, NOT_TOLERATED -> there;
      case UNKNOWN_RESOURCE, TOO_MANY, NOT_TOGETHER ->
          new Shortfall(
              Cause.NOT_TOLERATED,
              there.resource(),
              !choice.open().silent().isEmpty(),
              Notes.keptOff(demand, choice));
    };
  }

  /// Empty where some node could run the pod once its GPUs are free.
  static Optional<Shortfall> shortfall(GpuDemand demand, GpuSupply supply) {
    return OF_ONE_RESOURCE.stream()
        .flatMap(check ->
            demand.asks().entrySet().stream()
                .map(ask -> new Asked(ask.getKey(), ask.getValue()))
                .flatMap(asked -> check.shortfall(asked, supply).stream()))
        .findFirst()
        .or(() -> notTogether(demand, supply));
  }

  private static Optional<Shortfall> isNotAdvertised(Asked asked, GpuSupply supply) {
    if (supply.offer(asked.resource()).isPresent()) {
      return Optional.empty();
    }
    boolean hasTwin =
        supply.advertised().stream()
            .anyMatch(known -> NearestNames.isTwin(asked.resource(), known));
    if (supply.remembers(asked.resource()) && !hasTwin) {
      return Optional.empty(); // the name is right
    }
    return Optional.of(
        new Shortfall(
            Cause.UNKNOWN_RESOURCE,
            asked.resource(),
            supply.advertised().isEmpty() || (!supply.silent().isEmpty() && !hasTwin),
            asked.words() + Notes.unknown(asked.resource(), supply)));
  }

  private static Optional<Shortfall> noNodeHasSoMany(Asked asked, GpuSupply supply) {
    return supply
        .offer(asked.resource())
        .filter(offer -> offer.capacity() < asked.count())
        .map(offer ->
            new Shortfall(
                Cause.TOO_MANY,
                asked.resource(),
                !supply.silent().isEmpty(),
                asked.words() + Notes.tooMany(offer, supply)));
  }

  /// The device plugin refuses more than one client's share of MPS to a container, once the pod is
  /// on its node.
  private static Optional<Shortfall> onlyOneOfShared(Asked asked, GpuSupply supply) {
    return supply
        .offer(asked.resource())
        .filter(offer -> offer.byMps() && asked.count() > asked.ask().containers().size())
        .map(_ ->
            new Shortfall(
                Cause.ONE_OF_SHARED_ONLY,
                asked.resource(),
                false,
                asked.words() + Notes.oneOfShared()));
  }

  private static Optional<Shortfall> notOfferedNow(Asked asked, GpuSupply supply) {
    if (supply.remembers(asked.resource())) {
      return Optional.of(notOffered(asked, Notes.rememberedOnly(supply, asked.resource())));
    }
    return supply
        .offer(asked.resource())
        .filter(offer -> offer.allocatable() < asked.count())
        .map((Offer offer) -> notOffered(asked, Notes.withheld(offer)));
  }

  private static Shortfall notOffered(Asked asked, String words) {
    return new Shortfall(Cause.NOT_OFFERED_NOW, asked.resource(), true, asked.words() + words);
  }

  private static Optional<Shortfall> notTogether(GpuDemand demand, GpuSupply supply) {
    boolean known =
        demand.asks().keySet().stream().allMatch(resource -> supply.offer(resource).isPresent());
    if (!known || demand.isEmpty() || supply.hasTogether(demand)) {
      return Optional.empty();
    }
    return Optional.of(
        new Shortfall(
            Cause.NOT_TOGETHER,
            String.join(" ", demand.asks().keySet()),
            !supply.silent().isEmpty(),
            Notes.notTogether(demand, supply)));
  }
}
