package dev.pitcrew.hardware.nvml;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An opened and initialised libnvidia-ml.
///
/// Each opening maps the library again and closing unmaps it, so that a driver can be replaced
/// while the process runs. After closing every call answers [NvmlError#UNINITIALIZED].
public final class NvmlLibrary implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlLibrary.class);

  private final Arena arena;
  private final NvmlUse.Claim claim;
  private final CallGate gate;
  private final DriverCalls driver;
  private final DeviceCalls devices;
  private final MigCalls mig;
  private final InstanceCalls instances;
  private final PartitionCalls partition;
  private final LinkCalls links;
  private final FieldCalls fields;
  private final EventCalls events;
  private final NvmlFunction.Table functions;
  private volatile boolean isInitialised;

  private NvmlLibrary(Arena arena, SymbolLookup library, NvmlUse.Claim claim, Runnable onReturn) {
    gate = new CallGate(onReturn, this::end);
    functions = new NvmlFunction.Table(library, gate);
    this.arena = arena;
    this.claim = claim;
    driver = new DriverCalls(functions);
    devices = new DeviceCalls(functions);
    mig = new MigCalls(functions);
    instances = new InstanceCalls(functions);
    partition = new PartitionCalls(functions);
    links = new LinkCalls(functions);
    fields = new FieldCalls(functions);
    events = new EventCalls(functions);
  }

  /// Opens a library and initialises it (nvmlInit_v2, older nvmlInit).
  ///
  /// @param library its path, or a bare name that the dynamic linker looks up
  public static Answer<NvmlLibrary> open(String library) {
    return open(library, new NvmlUse().claim(), () -> {});
  }

  /// As [#open(String)].
  ///
  /// @param claim closed when the library is unmapped again, at once where it cannot be opened
  /// @param onReturn runs on the caller's thread whenever a call into the library has returned
  @SuppressWarnings("restricted")
  public static Answer<NvmlLibrary> open(String library, NvmlUse.Claim claim, Runnable onReturn) {
    var arena = Arena.ofShared();
    try {
      var symbols =
          library.contains("/")
              ? SymbolLookup.libraryLookup(Path.of(library), arena)
              : SymbolLookup.libraryLookup(library, arena);
      return initialised(new NvmlLibrary(arena, symbols, claim, onReturn), library);
    } catch (IllegalArgumentException _) {
      arena.close();
      claim.close();
      return Answer.failed(NvmlError.LIBRARY_NOT_FOUND, library);
    }
  }

  /// A refusal names the file, as there may be one of the host's and one of a driver container.
  private static Answer<NvmlLibrary> initialised(NvmlLibrary library, String file) {
    var answer = library.driver.init();
    library.isInitialised = answer instanceof Answer.Value;
    if (!library.isInitialised) {
      library.close();
    }
    return answer instanceof Answer.Failed<?>(var error, var call)
        ? Answer.failed(error, "%s of %s".formatted(call, file))
        : answer.map(_ -> library);
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

  public PartitionCalls partition() {
    return partition;
  }

  public LinkCalls links() {
    return links;
  }

  public FieldCalls fields() {
    return fields;
  }

  public EventCalls events() {
    return events;
  }

  /// A reader of `sources`, for one GPU.
  public SampleReader sampleReader(List<Source> sources) {
    return new SampleReader(this, functions, sources);
  }

  /// Text about GPUs for people.
  public TextCalls texts() {
    return new TextCalls(functions);
  }

  /// Shuts NVML down (nvmlShutdown) and unmaps the library: at once, or, where a call hangs in it,
  /// when that call returns.
  @Override
  public void close() {
    if (!gate.close()) {
      LOG.atWarn().log("a call hangs in NVML, which stays open until it returns");
    }
  }

  private void end() {
    try (claim;
        arena) {
      if (isInitialised && !(driver.shutdown() instanceof Answer.Value)) {
        LOG.atDebug().log("NVML did not shut down");
      }
    }
  }
}
