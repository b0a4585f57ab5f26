package dev.pitcrew.hardware.nvml;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An opened and initialised libnvidia-ml.
///
/// Each opening maps the library anew and closing unmaps it, so that a driver can be replaced while
/// the process lives. After closing every call answers [NvmlError#UNINITIALIZED].
public final class NvmlLibrary implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlLibrary.class);
  private static final Queue<Arena> STILL_MAPPED = new ConcurrentLinkedQueue<>();

  private final Arena arena;
  private final DriverCalls driver;
  private final DeviceCalls devices;
  private final MigCalls mig;
  private final InstanceCalls instances;
  private final LinkCalls links;
  private final EventCalls events;

  private NvmlLibrary(Arena arena, SymbolLookup library) {
    var functions = new NvmlFunction.Table(library, arena.scope());
    this.arena = arena;
    driver = new DriverCalls(functions);
    devices = new DeviceCalls(functions);
    mig = new MigCalls(functions);
    instances = new InstanceCalls(functions);
    links = new LinkCalls(functions);
    events = new EventCalls(functions);
  }

  /// Opens a library and initialises it (nvmlInit_v2, older nvmlInit).
  ///
  /// @param library its path, or a bare name that the dynamic linker looks up
  @SuppressWarnings("restricted")
  public static Answer<NvmlLibrary> open(String library) {
    // The dynamic linker would take one that is still mapped for the one that is asked for.
    STILL_MAPPED.removeIf(NvmlLibrary::isUnmapped);
    var arena = Arena.ofShared();
    try {
      var symbols =
          library.contains("/")
              ? SymbolLookup.libraryLookup(Path.of(library), arena)
              : SymbolLookup.libraryLookup(library, arena);
      return initialised(new NvmlLibrary(arena, symbols));
    } catch (IllegalArgumentException _) {
      arena.close();
      return Answer.failed(NvmlError.LIBRARY_NOT_FOUND, library);
    }
  }

  private static Answer<NvmlLibrary> initialised(NvmlLibrary library) {
    var answer = library.driver.init();
    if (!(answer instanceof Answer.Value)) {
      library.unmap();
    }
    return answer.map(_ -> library);
  }

  public DriverCalls driver() {
    return driver;
  }

  public DeviceCalls devices() {
    return devices;
  }

  public MigCalls mig() {
    return mig;
  }

  public InstanceCalls instances() {
    return instances;
  }

  public LinkCalls links() {
    return links;
  }

  public EventCalls events() {
    return events;
  }

  /// Shuts NVML down (nvmlShutdown) and unmaps the library. While a call hangs in it, it stays
  /// mapped, since its code is still needed, until the next opening after that call has returned.
  @Override
  public void close() {
    var answer = driver.shutdown();
    if (!(answer instanceof Answer.Value)) {
      LOG.atDebug().addKeyValue("reason", answer.reason()).log("NVML did not shut down");
    }
    unmap();
  }

  private void unmap() {
    if (!isUnmapped(arena)) {
      LOG.atWarn().log("a call hangs in NVML, which stays mapped until it returns");
      STILL_MAPPED.add(arena);
    }
  }

  // An arena cannot be closed while a call uses it.
  private static boolean isUnmapped(Arena arena) {
    try {
      arena.close();
      return true;
    } catch (IllegalStateException _) {
      return !arena.scope().isAlive();
    }
  }
}
