package dev.pitcrew.operator.operand;

import dev.pitcrew.operator.operand.driver.Driver;
import dev.pitcrew.operator.render.Operand;
import java.util.List;

/// All operands of a ClusterPolicy, in the order in which a node needs them.
public final class Operands {
  public static final List<Operand> ALL =
      List.of(
          new RuntimeClasses(),
          new OperatorMonitoring(),
          new Driver(),
          new ContainerToolkit(),
          new OperatorValidator(),
          new DevicePlugin(),
          new MpsControlDaemon(),
          new Dcgm(),
          new DcgmExporter(),
          new GpuFeatureDiscovery(),
          new MigManager(),
          new NodeStatusExporter(),
          new VgpuManager(),
          new VgpuDeviceManager(),
          new SandboxValidator(),
          new VfioManager(),
          new SandboxDevicePlugin(),
          new KataDevicePlugin(),
          new CcManager());

  private Operands() {}
}
