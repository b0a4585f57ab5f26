package dev.pitcrew.agent.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The state of the node as one immutable value: watches and controllers update it, controllers
/// subscribe to projections of it.
///
/// @param <S> implements `equals` by value, as do all projections
public final class StateStore<S> {
  private static final Logger LOG = LoggerFactory.getLogger(StateStore.class);

  private final ReentrantLock lock = new ReentrantLock();
  private final List<Subscription<S, ?>> subscriptions = new ArrayList<>();
  private final UnaryOperator<S> derivation;
  private final Supplier<S> first;
  private Optional<S> current = Optional.empty();

  /// @param first the state before anything is observed; called once, for the first caller, while
  ///   all others wait: what was stored never replaces what is observed
  /// @param derivation computes what follows from what was observed
  public StateStore(Supplier<S> first, UnaryOperator<S> derivation) {
    this.first = first;
    this.derivation = derivation;
  }

  /// A projection that fails keeps its last value until the next update: it stops neither the other
  /// controllers nor the caller, which may be the watch that every controller depends on.
  private static final class Subscription<S, I> {
    private final Function<S, Optional<I>> projection;
    private final LatestValue<Optional<I>> input = new LatestValue<>(Optional.empty());
    private Optional<I> last = Optional.empty();
    private String logged = "";

    Subscription(Function<S, Optional<I>> projection) {
      this.projection = projection;
    }

    void publish(S state) {
      try {
        Optional<I> now = projection.apply(state);
        if (!now.equals(last)) {
          last = now;
          input.set(now);
        }
        logged = "";
      } catch (RuntimeException e) {
        if (!logged.equals(e.toString())) {
          LOG.atError().setCause(e).log("the input of a controller cannot be computed");
        }
        logged = e.toString();
      }
    }
  }

  public S now() {
    lock.lock();
    try {
      return state();
    } finally {
      lock.unlock();
    }
  }

  /// Publishes each projection that the change has changed.
  public void update(UnaryOperator<S> change) {
    lock.lock();
    try {
      S last = state();
      S next = derivation.apply(change.apply(last));
      if (!next.equals(last)) {
        current = Optional.of(next);
        subscriptions.forEach(subscription -> subscription.publish(next));
      }
    } finally {
      lock.unlock();
    }
  }

  /// The projection of the state so far, and of each later one.
  ///
  /// @param projection pure and quick: it is called at each update, under the lock; empty while too
  ///   little is known
  <I> LatestValue<Optional<I>> subscribe(Function<S, Optional<I>> projection) {
    lock.lock();
    try {
      var subscription = new Subscription<>(projection);
      subscription.publish(state());
      subscriptions.add(subscription);
      return subscription.input;
    } finally {
      lock.unlock();
    }
  }

  private S state() {
    S known = current.orElseGet(() -> derivation.apply(first.get()));
    current = Optional.of(known);
    return known;
  }
}
