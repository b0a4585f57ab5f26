package dev.pitcrew.agent.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Where sources write what they find and concerns read it.
final class StateStore {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<LatestValue<NodeState>> readers = new ArrayList<>();
  private final UnaryOperator<NodeState> conclusion;
  private final Supplier<NodeState> first;
  private Optional<NodeState> now = Optional.empty();

  /// @param first what is known before anything is seen; called once, for the first caller, while
  ///   all others wait: what was remembered never replaces what is seen
  /// @param conclusion what follows from what was seen
  StateStore(Supplier<NodeState> first, UnaryOperator<NodeState> conclusion) {
    this.first = first;
    this.conclusion = conclusion;
  }

  NodeState now() {
    lock.lock();
    try {
      return known();
    } finally {
      lock.unlock();
    }
  }

  /// Every reader is notified, unless the change changed nothing.
  void change(UnaryOperator<NodeState> change) {
    lock.lock();
    try {
      NodeState last = known();
      NodeState next = conclusion.apply(change.apply(last));
      if (!next.equals(last)) {
        now = Optional.of(next);
        readers.forEach(reader -> reader.tell(next));
      }
    } finally {
      lock.unlock();
    }
  }

  /// A new reader, which receives what is known so far.
  LatestValue<NodeState> reader() {
    lock.lock();
    try {
      var reader = new LatestValue<NodeState>();
      reader.tell(known());
      readers.add(reader);
      return reader;
    } finally {
      lock.unlock();
    }
  }

  private NodeState known() {
    NodeState known = now.orElseGet(() -> conclusion.apply(first.get()));
    now = Optional.of(known);
    return known;
  }
}
