package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.LibrarySearch;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/// Opens NVML with a deadline of its own.
final class Opening {
  // Without a persistence daemon the driver wakes every GPU first, some seconds each.
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private Opening() {}

  /// The library that the settings name, or the one below their driver root. One that is opened
  /// after the deadline is closed again.
  static Answer<NvmlLibrary> of(GpuSettings settings) {
    String library = settings.library().orElseGet(() -> LibrarySearch.in(settings.driverRoot()));
    var isTaken = new AtomicBoolean();
    try (var lane = new Lane("nvml-open", DEADLINE)) {
      var answer = lane.ask("opening NVML", () -> open(library, isTaken));
      if (answer.isFailedWith(NvmlError.UNRESPONSIVE)) {
        isTaken.set(true);
      }
      return answer;
    }
  }

  private static Answer<NvmlLibrary> open(String library, AtomicBoolean isTaken) {
    var opened = NvmlLibrary.open(library);
    if (!isTaken.compareAndSet(false, true)) {
      opened.toOptional().ifPresent(NvmlLibrary::close);
    }
    return opened;
  }
}
