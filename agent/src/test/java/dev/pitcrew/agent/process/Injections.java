package dev.pitcrew.agent.process;

import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.process.Injection.Step;
import dev.pitcrew.agent.validation.Blocker.Cause;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.testbed.gpu.HostFaults;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/// How a simulated node comes to have each blocker, and some of what else a validation fails for.
record Injections(RunningAgent agent) {
  private static final String RUNTIME = "/etc/containerd/config.toml";
  private static final String HANDLER =
      "[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.nvidia]\n";
  private static final String HOOK = "/usr/local/nvidia/toolkit/nvidia-cdi-hook";
  private static final String DRIVER = "/run/nvidia/driver";
  private static final String UVM = "nvidia-uvm";
  private static final List<String> UVM_FILES =
      List.of(DRIVER + "/dev/nvidia-uvm", DRIVER + "/dev/nvidia-uvm-tools");
  private static final String FOR_PASSTHROUGH = "nvidia.com/gpu.deploy.vfio-manager";
  private static final String VALIDATIONS = "/run/nvidia/validations/";

  /// What a node has where nothing is wrong.
  void prepare() {
    faults().file(RUNTIME, HANDLER);
    faults().file(HOOK, "");
  }

  List<Injection> all() {
    return Stream.concat(Stream.of(Cause.values()).map(this::of), besides()).toList();
  }

  private Injection of(Cause cause) {
    return switch (cause) {
      case GPU_BOUND_TO_VFIO ->
          ofDriver(
              cause,
              "vfio-pci has the GPUs",
              () -> {
                bind("vfio-pci");
                node().unloadDriver();
              },
              () -> {
                bind("nvidia");
                node().loadDriver();
              });
      case GPU_NOT_BOUND_TO_VFIO ->
          ofDriver(
              cause,
              "the node is for virtual machines, vfio-pci has no GPU",
              () -> agent.label(FOR_PASSTHROUGH, "true"),
              () -> agent.unlabel(FOR_PASSTHROUGH));
      case NOUVEAU_LOADED ->
          ofDriver(
              cause,
              "nouveau has the GPUs",
              () -> {
                node().unloadDriver();
                bind("nouveau");
                faults().loadModule("nouveau");
              },
              () -> {
                faults().unloadModule("nouveau");
                bind("nvidia");
                node().loadDriver();
              });
      case SECURE_BOOT_REFUSED_MODULE ->
          ofDriver(
              cause,
              "Secure Boot, module rejected",
              () -> {
                faults().secureBoot(true);
                faults().kernelSays("nvidia: module with unavailable key is rejected");
                node().unloadDriver();
              },
              () -> {
                faults().secureBoot(false);
                node().loadDriver();
              });
      case DRIVER_NOT_INSTALLED ->
          ofDriver(
              cause,
              "no module, no driver root",
              () -> {
                node().unloadDriver();
                faults().hide(DRIVER);
              },
              () -> {
                faults().restore(DRIVER);
                node().loadDriver();
              });
      case MODULE_NOT_LOADED ->
          ofDriver(cause, "module unloaded", node()::unloadDriver, node()::loadDriver);
      case DRIVER_VERSION_MISMATCH ->
          ofDriver(
              cause,
              "module of another version",
              () -> {
                node().mismatch();
                node().unloadDriver();
                node().loadDriver();
              },
              node()::match);
      case DEVICE_NODES_MISSING ->
          ofDriver(
              cause, "no module nvidia_uvm", () -> unifiedMemory(false), () -> unifiedMemory(true));
      case FABRIC_MANAGER_NOT_RUNNING ->
          ofDriver(
              cause,
              "no fabric manager, fabric state not started",
              () -> {
                faults().fabricManager(false);
                everyGpu(gpu -> node().set(gpu, "fabric_state", "1"));
              },
              () -> {
                faults().fabricManager(true);
                everyGpu(gpu -> node().set(gpu, "fabric_state", "3"));
              });
      case FABRIC_NOT_READY ->
          ofDriver(
              cause,
              "fabric state in progress",
              () -> everyGpu(gpu -> node().set(gpu, "fabric_state", "2")),
              () -> everyGpu(gpu -> node().set(gpu, "fabric_state", "3")));
      case GPU_NOT_LISTED ->
          ofDriver(
              cause,
              "agent starts, no GPU answers",
              () -> {
                // GPUs that have answered once are known, and lost; these never did.
                agent.stop();
                everyGpu(gpu -> node().lose(gpu));
                Files.delete(agent.stateFolder().resolve(HealthStore.FILE));
                agent.start();
              },
              () -> everyGpu(gpu -> node().restore(gpu)));
    };
  }

  /// Reasons that are no driver's. As where nothing has loaded the module since the boot. The agent
  /// makes the device files again.
  private void unifiedMemory(boolean isLoaded) throws IOException {
    Path devices = node().hostRoot().resolve("proc/devices");
    List<String> others =
        Files.readAllLines(devices).stream().filter(line -> !line.endsWith(" " + UVM)).toList();
    String head = others.getFirst() + (isLoaded ? "\n508 " + UVM : "");
    faults()
        .file("/proc/devices", head + "\n" + String.join("\n", others.subList(1, others.size())));
    if (isLoaded) {
      faults().loadModule("nvidia_uvm");
    } else {
      UVM_FILES.forEach(faults()::delete);
      faults().unloadModule("nvidia_uvm");
    }
  }

  private Stream<Injection> besides() {
    String daemons = VALIDATIONS + ".driver-daemons-status";
    String flags = VALIDATIONS + ".driver-ctr-ready";
    Path specification = agent.cdiFolder().resolve("nvidia.yaml");
    return Stream.of(
        ofNode(
            "DriverStarting",
            "driver container not ready",
            () -> faults().file(daemons, "NotReady\n"),
            () -> faults().file(daemons, "Ready\n")),
        ofNode(
            "StorageModuleNotLoaded",
            "wanted, no nvidia_fs",
            () -> faults().file(flags, "GDS_ENABLED: true\n"),
            () -> faults().loadModule("nvidia_fs")),
        ofNode(
            "NoRuntimeHandler",
            "runtime without handler",
            () -> faults().hide(RUNTIME),
            () -> faults().restore(RUNTIME)),
        ofNode(
            "CdiSpecificationBroken",
            "specification names no file",
            () ->
                Files.writeString(
                    specification,
                    "kind: nvidia.com/gpu\ncontainerEdits:\n  mounts: [{hostPath: /gone}]\n"),
            () -> Files.delete(specification)));
  }

  private static Injection ofDriver(Cause cause, String how, Step step, Step remedy) {
    return new Injection(cause.reason(), NodeCondition.DRIVER_READY, how, step, remedy);
  }

  private static Injection ofNode(String reason, String how, Step step, Step remedy) {
    return new Injection(reason, NodeCondition.VALIDATED, how, step, remedy);
  }

  /// As on a node whose GPUs are for virtual machines, once they are bound.
  ///
  /// @param byManager `false` where the node binds them at boot
  void passThrough(String byManager) {
    node().unloadDriver();
    bind("vfio-pci");
    agent.label(FOR_PASSTHROUGH, byManager);
    agent.label("nvidia.com/gpu.deploy.device-plugin", "false");
    agent.label("nvidia.com/gpu.deploy.operator-validator", "false");
  }

  private void bind(String driver) {
    node().gpus().forEach(gpu -> faults().bind(gpu.pciAddress(), driver));
  }

  private void everyGpu(IntConsumer step) {
    node().gpus().stream().mapToInt(SimulatedGpu::index).forEach(step);
  }

  private SimulatedNode node() {
    return agent.gpus();
  }

  private HostFaults faults() {
    return node().faults();
  }
}
