package dev.pitcrew.agent.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Where sources write what they find and concerns read it.
final class Board {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Newest<Situation>> readers = new ArrayList<>();
  private final UnaryOperator<Situation> conclusion;
  private final Supplier<Situation> first;
  private Optional<Situation> now = Optional.empty();

  /// @param first what is known before anything is seen; called once, for the first caller, while
  ///   all others wait: what was remembered never replaces what is seen
  /// @param conclusion what follows from what was seen
  Board(Supplier<Situation> first, UnaryOperator<Situation> conclusion) {
    this.first = first;
    this.conclusion = conclusion;
  }

  Situation now() {
    lock.lock();
    try {
      return known();
    } finally {
      lock.unlock();
    }
  }

  /// Every reader is notified, unless the change changed nothing.
  void change(UnaryOperator<Situation> change) {
    lock.lock();
    try {
      Situation last = known();
      Situation next = conclusion.apply(change.apply(last));
      if (!next.equals(last)) {
        now = Optional.of(next);
        readers.forEach(reader -> reader.tell(next));
      }
    } finally {
      lock.unlock();
    }
  }

  /// A new reader, which receives what is known so far.
  Newest<Situation> reader() {
    lock.lock();
    try {
      var reader = new Newest<Situation>();
      reader.tell(known());
      readers.add(reader);
      return reader;
    } finally {
      lock.unlock();
    }
  }

  private Situation known() {
    Situation known = now.orElseGet(() -> conclusion.apply(first.get()));
    now = Optional.of(known);
    return known;
  }
}
