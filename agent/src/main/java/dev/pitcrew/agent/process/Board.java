package dev.pitcrew.agent.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/// Where sources write what they find and concerns read it.
final class Board {
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Newest<Situation>> readers = new ArrayList<>();
  private final UnaryOperator<Situation> conclusion;
  private Situation now = Situation.UNKNOWN;

  /// @param conclusion what follows from what was seen
  Board(UnaryOperator<Situation> conclusion) {
    this.conclusion = conclusion;
  }

  Situation now() {
    lock.lock();
    try {
      return now;
    } finally {
      lock.unlock();
    }
  }

  /// Every reader is told, unless the change changed nothing.
  void change(UnaryOperator<Situation> change) {
    lock.lock();
    try {
      Situation next = conclusion.apply(change.apply(now));
      if (!next.equals(now)) {
        now = next;
        readers.forEach(reader -> reader.tell(next));
      }
    } finally {
      lock.unlock();
    }
  }

  /// A new reader, which is told what is known so far.
  Newest<Situation> reader() {
    lock.lock();
    try {
      var reader = new Newest<Situation>();
      reader.tell(now);
      readers.add(reader);
      return reader;
    } finally {
      lock.unlock();
    }
  }
}
