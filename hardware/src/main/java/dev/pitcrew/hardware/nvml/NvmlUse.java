package dev.pitcrew.hardware.nvml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Whether NVML is still in use. A library that is being closed stays open until the last call in
/// it has returned, and one that was given up while it opened may still open; both keep the
/// driver's modules in use.
public final class NvmlUse {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String DEVICE_FILE = "/dev/nvidia";

  private final AtomicInteger claims = new AtomicInteger();

  /// One library, from before it is opened until it is unmapped.
  public final class Claim implements AutoCloseable {
    private final AtomicBoolean isOver = new AtomicBoolean();

    private Claim() {
      claims.incrementAndGet();
    }

    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) {
        claims.decrementAndGet();
      }
    }
  }

  public Claim claim() {
    return new Claim();
  }

  /// Whether no library is open, nor may one be opened that was asked for before.
  public boolean isOver() {
    return claims.get() == 0;
  }

  /// The driver's device files that this process has open, whichever code opened them; none where
  /// that cannot be determined.
  public static List<String> openDeviceFiles() {
    try (var descriptors = Files.list(DESCRIPTORS)) {
      return descriptors
          .flatMap(it -> target(it).stream())
          .filter(path -> path.contains(DEVICE_FILE))
          .distinct()
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException _) {
      return List.of();
    }
  }

  /// A descriptor may be closed while it is looked at.
  private static Optional<String> target(Path descriptor) {
    try {
      return Optional.of(Files.readSymbolicLink(descriptor).toString());
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
