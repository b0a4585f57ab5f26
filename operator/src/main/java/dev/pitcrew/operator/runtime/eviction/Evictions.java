package dev.pitcrew.operator.runtime.eviction;

import dev.pitcrew.kube.apply.Evictor;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.eviction.EvictionAnswers;
import dev.pitcrew.operator.eviction.EvictionOutcome;
import dev.pitcrew.operator.eviction.EvictionRules;
import dev.pitcrew.operator.eviction.PodToEvict;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evicts single pods, for any reason, and reports in an Event on each why it goes or stays.
public final class Evictions {
  private static final Logger log = LoggerFactory.getLogger(Evictions.class);

  private final Evictor evictor;
  private final Events events;

  public Evictions(Evictor evictor, Events events) {
    this.evictor = evictor;
    this.events = events;
  }

  /// One attempt on a pod that is not watched: it is read first.
  ///
  /// @param why the pod has to go, for the Event on it
  public EvictionOutcome evict(PodToEvict pod, String why) {
    try {
      return evict(pod, evictor.read(pod.namespace(), pod.name()), why);
    } catch (KubeException e) {
      return new EvictionOutcome.Failed("%s: %s".formatted(pod.text(), e.reason()));
    }
  }

  /// One attempt.
  ///
  /// @param live the pod of this name as it is now
  public EvictionOutcome evict(PodToEvict pod, Optional<Pod> live, String why) {
    Optional<EvictionOutcome> known = EvictionRules.beforehand(pod, live);
    EvictionOutcome outcome =
        known.orElseGet(() -> {
          Evictor.Answer answer = evictor.evict(pod.namespace(), pod.name(), pod.uid());
          return EvictionAnswers.meaning(pod, answer.status(), answer.message(), answer.causes());
        });
    boolean isNews = known.isEmpty() && !(outcome instanceof EvictionOutcome.Gone);
    live.filter(_ -> isNews || outcome.blocker().isPresent())
        .ifPresent(it -> emit(it, pod, outcome, why));
    return outcome;
  }

  private void emit(Pod live, PodToEvict pod, EvictionOutcome outcome, String why) {
    outcome
        .blocker()
        .ifPresentOrElse(
            message -> {
              log.warn("{}", message);
              events.emitBlocker(live, "EvictionBlocked", "%s; %s".formatted(message, why));
            },
            () -> {
              log.info("{} was evicted: {}", pod.text(), why);
              events.emit(live, Events.Type.NORMAL, "Evicted", why);
            });
  }
}
