package dev.pitcrew.hardware.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The kernel's own announcements of devices and modules (NETLINK_KOBJECT_UEVENT). Needs no right,
/// and works in a container's own network namespace: the kernel sends them to every one that
/// belongs to the initial user namespace.
public final class KernelEvents implements AutoCloseable {
  private static final int AF_NETLINK = 16;
  private static final int SOCK_DGRAM_CLOEXEC = 0x80002;
  private static final int NETLINK_KOBJECT_UEVENT = 15;
  private static final int KERNEL_GROUP = 1;
  private static final int ADDRESS_BYTES = 12;
  private static final int EVENT_BYTES = 8192;
  private static final int EFD_CLOEXEC = 0x80000;
  private static final short POLLIN = 1;
  private static final int POLLFD_BYTES = 8;
  private static final int REVENTS = 6;

  private static final List<String> MODULES = List.of("nouveau", "gdrdrv", "vfio_pci", "mlx5_core");

  private final int socket;
  private final int farewell;
  private final Predicate<String> concerns;
  private final Runnable onEvent;
  private final Thread thread;

  private KernelEvents(int socket, int farewell, Predicate<String> concerns, Runnable onEvent) {
    this.socket = socket;
    this.farewell = farewell;
    this.concerns = concerns;
    this.onEvent = onEvent;
    // A platform thread: the wait is a call into the C library.
    thread = Thread.ofPlatform().daemon().name("kernel-events").unstarted(this::listen);
  }

  /// Listens for what may concern GPUs; empty where the kernel does not let us.
  ///
  /// @param onEvent called on a thread of its own
  public static Optional<KernelEvents> ofGpus(Runnable onEvent) {
    return of(KernelEvents::isOfGpus, onEvent);
  }

  /// @param concerns of the text of an event: `action@path`, then `KEY=value` lines
  static Optional<KernelEvents> of(Predicate<String> concerns, Runnable onEvent) {
    int socket = Libc.socket(AF_NETLINK, SOCK_DGRAM_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    if (socket < 0) {
      return Optional.empty();
    }
    int farewell = bind(socket) == 0 ? Libc.eventfd(EFD_CLOEXEC) : -1;
    if (farewell < 0) {
      Libc.close(socket);
      return Optional.empty();
    }
    var events = new KernelEvents(socket, farewell, concerns, onEvent);
    events.thread.start();
    return Optional.of(events);
  }

  private static int bind(int socket) {
    try (var arena = Arena.ofConfined()) {
      var address = arena.allocate(ADDRESS_BYTES, JAVA_INT.byteAlignment());
      address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
      address.set(JAVA_INT, 8, KERNEL_GROUP);
      return Libc.bind(socket, address);
    }
  }

  /// Of NVIDIA's PCI functions, of the modules that they work with or that are in the way, and of
  /// the device files that those make.
  static boolean isOfGpus(String event) {
    return event.contains("nvidia")
        || (event.contains("\nSUBSYSTEM=pci\n") && event.contains("\nPCI_ID=10DE:"))
        || MODULES.stream().anyMatch(module -> event.contains("@/module/" + module + "\n"));
  }

  private void listen() {
    try (var arena = Arena.ofConfined()) {
      var descriptors = arena.allocate(2 * POLLFD_BYTES, JAVA_INT.byteAlignment());
      var event = arena.allocate(EVENT_BYTES);
      await(descriptors, 0, socket);
      await(descriptors, POLLFD_BYTES, farewell);
      while (descriptors.get(JAVA_SHORT, POLLFD_BYTES + REVENTS) == 0) {
        // It may be interrupted by a signal.
        if (Libc.poll(descriptors, 2) > 0 && descriptors.get(JAVA_SHORT, REVENTS) != 0) {
          hear(event);
        }
      }
    } finally {
      Libc.close(socket);
    }
  }

  private static void await(MemorySegment descriptors, long at, int descriptor) {
    descriptors.set(JAVA_INT, at, descriptor);
    descriptors.set(JAVA_SHORT, at + 4, POLLIN);
  }

  /// A queue that overflowed is an event of whatever was lost.
  private void hear(MemorySegment event) {
    long size = Libc.recv(socket, event);
    if (size < 0 || concerns.test(text(event.asSlice(0, size)))) {
      onEvent.run();
    }
  }

  private static String text(MemorySegment event) {
    return new String(event.toArray(JAVA_BYTE), StandardCharsets.UTF_8).replace('\0', '\n');
  }

  /// Ends the thread.
  @Override
  public void close() {
    try (var arena = Arena.ofConfined()) {
      Libc.write(farewell, arena.allocateFrom(JAVA_LONG, 1L));
      thread.join();
      Libc.close(farewell);
    } catch (InterruptedException _) {
      // The descriptor stays: the thread may still look at it.
      Thread.currentThread().interrupt();
    }
  }
}
