package dev.pitcrew.testbed.gpu;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A node with simulated GPUs, below one folder.
///
/// Any number of processes may read it at the same time; what is done to it here, all of them see.
public final class SimulatedNode {
  static final String STATE = "nvml-sim.state";
  private final NativeBuild simulator;
  private final SimulatedNodeOptions options;
  private final NodeFolder folder;
  private final DriverFiles driver;
  private final HostFiles host;
  private final boolean hasDriverFiles;
  private final boolean hasDeviceNodes;
  private int loads;

  private SimulatedNode(
      NativeBuild simulator,
      SimulatedNodeOptions options,
      NodeFolder folder,
      boolean hasDriverFiles) {
    this.simulator = simulator;
    this.options = options;
    this.folder = folder;
    this.hasDriverFiles = hasDriverFiles;
    host = new HostFiles(folder);
    driver = new DriverFiles(folder, options.driverRoot(), options.driver());
    if (hasDriverFiles) {
      driver.write(simulator);
    }
    createState();
    host.write(SimulatedHost.named(options.host()));
    addPciFunctions();
    host.driverLoaded(options.driver(), gpus(), loads);
    hasDeviceNodes = !hasDriverFiles || (isRoot() && devices().make(gpus()));
    if (!hasDeviceNodes) {
      DeviceNodes.of(gpus()).stream()
          .map(node -> deviceRoot() + node.path())
          .filter(path -> !faults().exists(path))
          .forEach(path -> folder.text(path, ""));
    }
  }

  /// Makes a node with its driver loaded.
  ///
  /// @param folder empty; who gives it removes it
  /// @throws dev.pitcrew.testbed.TestbedException if `make -C native` has not been run
  public static SimulatedNode create(Path folder, SimulatedNodeOptions options) {
    return new SimulatedNode(
        NativeBuild.find(), options, new NodeFolder(folder.toAbsolutePath().normalize()), true);
  }

  /// Makes a node on which no driver is loaded and none has any files: a [DriverContainer] brings
  /// it, of the version that the options name at first.
  ///
  /// @param folder empty; who gives it removes it
  public static SimulatedNode withoutDriver(Path folder, SimulatedNodeOptions options) {
    var node =
        new SimulatedNode(
            NativeBuild.find(),
            options,
            new NodeFolder(folder.toAbsolutePath().normalize()),
            false);
    node.unloadDriver();
    node.folder.folder(SimulatedNodeOptions.CONTAINER_ROOT);
    node.folder.copyProgram(node.simulator.driverContainer(), DriverContainer.PROGRAM);
    return node;
  }

  /// Whether the node has the driver's files itself, and not by a container.
  public boolean hasDriverFiles() {
    return hasDriverFiles;
  }

  /// What stands for `/` of the node.
  public Path hostRoot() {
    return folder.root();
  }

  /// The root of the driver's installation, as a folder of this process.
  public Path driverRoot() {
    return folder.at(options.driverRoot());
  }

  public SimulatedNodeOptions options() {
    return options;
  }

  /// The state that all processes share; `NVML_SIM_STATE` for one that loads another copy of the
  /// library.
  public Path state() {
    return hasDriverFiles
        ? folder.at(driver.libraries()).resolve(STATE)
        : folder.at("/").resolve(STATE);
  }

  /// Whether the driver's root has device nodes; where they cannot be made, plain files stand for
  /// them, which no container can use.
  public boolean hasDeviceNodes() {
    return hasDeviceNodes;
  }

  /// A driver container's root has a `/dev` of its own.
  private DeviceNodes devices() {
    return new DeviceNodes(folder, deviceRoot());
  }

  private String deviceRoot() {
    return options.driverRoot().equals("/") ? "" : options.driverRoot();
  }

  /// The PCI functions as a folder without links out of it, to be mounted over
  /// `/sys/bus/pci/devices` of another `/sys`. To be made once.
  public Path pciFunctions() {
    return host.pciFunctions();
  }

  public List<SimulatedGpu> gpus() {
    return SimulatedGpu.parse(simulate("show"));
  }

  public List<SimulatedMigDevice> migDevices() {
    return SimulatedMigDevice.parse(simulate("show"));
  }

  /// Adds a PCI function, or replaces the one at its address.
  public void addPciFunction(SimulatedPciFunction function) {
    host.pciFunction(function);
  }

  /// Divides GPUs: lines `mode GPU CURRENT PENDING`, `gi GPU ID PROFILE START SIZE` and `ci GPU GI
  /// ID PROFILE START SIZE`, which replace the layout of the GPUs that they name.
  public void divide(String layout) {
    simulator.run(layout, List.of(state().toString(), "mig", "-"));
  }

  /// The kernel's log of this node, which it has from the first call on.
  public SimulatedKernelLog kernelLog() {
    return SimulatedKernelLog.of(folder);
  }

  /// Reports an Xid of a whole GPU, first in the kernel's log where the node has one.
  public void xid(int gpu, int code) {
    SimulatedKernelLog.find(folder).ifPresent(log -> log.xid(gpus().get(gpu), code));
    simulate("xid", text(gpu), text(code));
  }

  /// Reports an Xid of one MIG device, likewise.
  public void xid(int gpu, int code, SimulatedMigDevice device) {
    SimulatedKernelLog.find(folder).ifPresent(log -> log.xid(gpus().get(gpu), code, device));
    simulate(
        "xid", text(gpu), text(code), text(device.gpuInstance()), text(device.computeInstance()));
  }

  public void singleBitEccError(int gpu) {
    simulate("ecc", text(gpu), "single");
  }

  public void doubleBitEccError(int gpu) {
    simulate("ecc", text(gpu), "double");
  }

  /// Lets the next `times` waits for events fail with this nvmlReturn_t; events stay in their sets.
  public void failEventWaits(int code, int times) {
    simulate("fail", "nvmlEventSetWait", text(code), text(times));
  }

  /// Takes a GPU off the bus.
  public void lose(int gpu) {
    simulate("lost", text(gpu));
  }

  public void restore(int gpu) {
    simulate("restore", text(gpu));
  }

  /// Lets every call about a GPU hang until [#release].
  public void hang(int gpu) {
    simulate("hang", text(gpu));
  }

  public void release(int gpu) {
    simulate("release", text(gpu));
  }

  /// Holds the driver's resource manager for so long: all calls but cached ones wait, of all
  /// processes. Zero lets it go.
  public void holdManager(Duration time) {
    simulate("busy", String.valueOf(time.toMillis()));
  }

  /// Takes the persistence daemon away: the first handle of each GPU takes so long while no process
  /// keeps it initialized, one GPU after the other.
  public void withoutPersistence(Duration perGpu) {
    simulate("first-open", String.valueOf(perGpu.toMillis()));
  }

  /// Changes a value that a GPU shows.
  public void set(int gpu, String key, String value) {
    simulate("set", text(gpu), key, value);
  }

  /// Unloads the driver, which must not be in use.
  public void unloadDriver() {
    simulate("unload");
    host.driverUnloaded();
    faults().announce("driver");
  }

  public void loadDriver() {
    simulate("load");
    loads++;
    host.driverLoaded(options.driver(), gpus(), loads);
    faults().announce("driver");
  }

  /// The driver's files become those of another version than the module that is loaded: NVML can no
  /// longer be opened. Who has it open goes on.
  public void mismatch() {
    simulate("mismatch");
  }

  public void match() {
    simulate("match");
  }

  /// What can go wrong around the GPUs.
  public HostFaults faults() {
    return new HostFaults(folder);
  }

  /// Restarts the node's kernel, on a caller's request.
  public void reboot() {
    unloadDriver();
    host.rebooted();
    loadDriver();
  }

  /// Runs `nvml-sim` on this node's state and returns what it wrote.
  public String simulate(String... command) {
    var arguments = new ArrayList<String>();
    arguments.add(state().toString());
    arguments.addAll(Arrays.asList(command));
    return simulator.run("", arguments);
  }

  private void createState() {
    simulator.run(
        "",
        List.of(
            "create",
            state().toString(),
            "--profile",
            options.profile(),
            "--gpus",
            text(options.gpus()),
            "--driver",
            options.driver(),
            "--cuda",
            options.cuda()));
  }

  private void addPciFunctions() {
    var board = PciOfBoard.of(options.profile());
    board.switches().forEach(host::pciFunction);
    if (!board.switches().isEmpty()) {
      host.fabricManager();
    }
    for (var gpu : gpus()) {
      host.pciFunction(board.gpu(gpu));
      host.displayNodes(gpu);
    }
  }

  private static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  private static String text(int number) {
    return String.valueOf(number);
  }
}
