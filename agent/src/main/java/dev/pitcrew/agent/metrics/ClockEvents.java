package dev.pitcrew.agent.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// In how many of the late samples of a GPU each reason held back its clocks. The room is given
/// once for as many samples as the window has.
final class ClockEvents {
  /// By the bits of nvmlClocksEventReasons, from the lowest.
  static final List<String> NAMES =
      List.of(
          "gpu_idle",
          "clocks_setting",
          "power_cap",
          "hw_slowdown",
          "sync_boost",
          "sw_thermal",
          "hw_thermal",
          "hw_power_brake",
          "display_clocks");

  private static final int MOST = 4096;

  private final Duration window;
  private final int room;
  private final Map<Integer, Ring> rings = new HashMap<>();

  private static final class Ring {
    private final long[] masks;
    private final long[] times;
    private int count;
    private int next;

    private Ring(int room) {
      masks = new long[room];
      times = new long[room];
    }
  }

  ClockEvents(Duration window, Duration interval) {
    this.window = window;
    room = (int) Math.min(MOST, window.dividedBy(interval) + 1);
  }

  synchronized void add(int gpu, long takenNanos, long mask) {
    var ring = rings.computeIfAbsent(gpu, _ -> new Ring(room));
    ring.masks[ring.next] = mask;
    ring.times[ring.next] = takenNanos;
    ring.next = (ring.next + 1) % room;
    ring.count = Math.min(room, ring.count + 1);
  }

  /// The count of the reason with this bit number.
  synchronized int count(int gpu, int bit) {
    var ring = rings.get(gpu);
    if (ring == null) {
      return 0;
    }
    long oldest = System.nanoTime() - window.toNanos();
    int found = 0;
    for (int i = 0; i < ring.count; i++) {
      if (ring.times[i] - oldest >= 0 && (ring.masks[i] >> bit & 1) == 1) {
        found++;
      }
    }
    return found;
  }
}
