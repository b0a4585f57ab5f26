package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.NodeOffer;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What `pitcrew plugin` does between its start and its end, one event after the other. The
/// configuration may change meanwhile; one that cannot be used leaves the former in force.
final class PluginSession {
  private static final Logger LOG = LoggerFactory.getLogger(PluginSession.class);
  private static final Duration UNTIL_OFFERED_AGAIN = Duration.ofSeconds(30);

  private final BlockingQueue<SessionEvent> news = new LinkedBlockingQueue<>();
  private final AtomicReference<AgentConfig> config;
  private final PrintWriter errors;
  private Optional<NodeSnapshot> last = Optional.empty();

  private sealed interface SessionEvent {
    record Seen(NodeSnapshot snapshot) implements SessionEvent {}

    record Reload() implements SessionEvent {}

    record Stop() implements SessionEvent {}

    /// Nothing happened for a while, or something that only another check can identify.
    record Quiet() implements SessionEvent {}
  }

  @FunctionalInterface
  private interface Step {
    void run() throws InterruptedException;
  }

  PluginSession(AgentConfig first, PrintWriter errors) {
    this.config = new AtomicReference<>(first);
    this.errors = errors;
  }

  void seen(NodeSnapshot snapshot) {
    news.add(new SessionEvent.Seen(snapshot));
  }

  void reload() {
    news.add(new SessionEvent.Reload());
  }

  void daemonsChanged() {
    news.add(new SessionEvent.Quiet());
  }

  void stop() {
    news.add(new SessionEvent.Stop());
  }

  /// The configuration in force.
  AgentConfig config() {
    return config.get();
  }

  /// Until it is stopped, or cannot begin.
  ///
  /// @param loader reloads the configuration
  /// @param offers makes the offer of a configuration
  /// @return the exit code
  int run(Supplier<Optional<AgentConfig>> loader, Function<AgentConfig, NodeOffer> offers)
      throws InterruptedException {
    Optional<NodeOffer> current = use(config(), offers);
    OptionalInt exit =
        current.isEmpty() ? OptionalInt.of(PitcrewCommand.FAILED) : OptionalInt.empty();
    while (exit.isEmpty()) {
      NodeOffer offer = current.orElseThrow();
      switch (next()) {
        case SessionEvent.Stop() -> exit = OptionalInt.of(PitcrewCommand.DONE);
        case SessionEvent.Quiet() -> again(offer);
        case SessionEvent.Reload() -> {
          current = loader.get().flatMap(it -> use(it, offers)).or(() -> Optional.of(offer));
          again(current.get());
        }
        case SessionEvent.Seen(var snapshot) -> exit = seen(offer, snapshot);
      }
    }
    return exit.getAsInt();
  }

  /// Empty where a configuration cannot be used.
  private Optional<NodeOffer> use(AgentConfig next, Function<AgentConfig, NodeOffer> offers) {
    NodeOffer offer = offers.apply(next);
    Optional<String> refusal =
        PluginRefusal.of(next, offer.missingChannels())
            .or(() -> last.flatMap(snapshot -> PluginRefusal.of(next, snapshot)));
    if (refusal.isPresent()) {
      errors.println(refusal.get());
      return Optional.empty();
    }
    PluginRefusal.missing(offer.missingChannels())
        .ifPresent(missing -> errors.println("warning: " + missing));
    config.set(next);
    return Optional.of(offer);
  }

  private OptionalInt seen(NodeOffer offer, NodeSnapshot snapshot) throws InterruptedException {
    Optional<String> refusal =
        last.isPresent() ? Optional.empty() : PluginRefusal.of(config(), snapshot);
    if (refusal.isPresent()) {
      errors.println(refusal.get());
      return OptionalInt.of(PitcrewCommand.FAILED);
    }
    last = Optional.of(snapshot);
    carryOut(() -> offer.offer(snapshot));
    return OptionalInt.empty();
  }

  private void again(NodeOffer offer) throws InterruptedException {
    if (last.isPresent()) {
      NodeSnapshot now = last.get();
      carryOut(() -> offer.refresh(now, Set.of(), Set.of()));
    }
  }

  /// Of snapshots that have piled up only the last.
  private SessionEvent next() throws InterruptedException {
    SessionEvent next =
        Objects.requireNonNullElseGet(
            news.poll(UNTIL_OFFERED_AGAIN.toSeconds(), TimeUnit.SECONDS), SessionEvent.Quiet::new);
    while (next instanceof SessionEvent.Seen && news.peek() instanceof SessionEvent.Seen) {
      next = news.remove();
    }
    return next;
  }

  /// One step that may not succeed; the next one has another chance.
  private static void carryOut(Step step) throws InterruptedException {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("the GPUs could not be offered, trying again");
    }
  }
}
