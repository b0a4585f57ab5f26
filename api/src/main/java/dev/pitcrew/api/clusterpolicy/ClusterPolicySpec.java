package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.DaemonsetsSpec;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.api.HostPathsSpec;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;

/// What a ClusterPolicy asks for. `psp` and `kataManager` are accepted and ignored.
public record ClusterPolicySpec(
    OperatorSpec operator,
    DaemonsetsSpec daemonsets,
    DriverSpec driver,
    ToolkitSpec toolkit,
    DevicePluginSpec devicePlugin,
    DcgmSpec dcgm,
    DcgmExporterSpec dcgmExporter,
    PlainOperandSpec nodeStatusExporter,
    GfdSpec gfd,
    MigSpec mig,
    MigManagerSpec migManager,
    ValidatorSpec validator,
    CdiSpec cdi,
    DriverAddonSpec gds,
    DriverAddonSpec gdrcopy,
    HostPathsSpec hostPaths,
    ToggleSpec psa,
    ToggleSpec psp,
    SandboxWorkloadsSpec sandboxWorkloads,
    PlainOperandSpec sandboxDevicePlugin,
    PlainOperandSpec kataSandboxDevicePlugin,
    VfioManagerSpec vfioManager,
    VgpuManagerSpec vgpuManager,
    VgpuDeviceManagerSpec vgpuDeviceManager,
    CcManagerSpec ccManager,
    KataManagerSpec kataManager,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ClusterPolicySpec ABSENT = Absent.of(ClusterPolicySpec.class);

  public ClusterPolicySpec {
    operator = Objects.requireNonNullElse(operator, OperatorSpec.ABSENT);
    daemonsets = Objects.requireNonNullElse(daemonsets, DaemonsetsSpec.ABSENT);
    driver = Objects.requireNonNullElse(driver, DriverSpec.ABSENT);
    toolkit = Objects.requireNonNullElse(toolkit, ToolkitSpec.ABSENT);
    devicePlugin = Objects.requireNonNullElse(devicePlugin, DevicePluginSpec.ABSENT);
    dcgm = Objects.requireNonNullElse(dcgm, DcgmSpec.ABSENT);
    dcgmExporter = Objects.requireNonNullElse(dcgmExporter, DcgmExporterSpec.ABSENT);
    nodeStatusExporter = Objects.requireNonNullElse(nodeStatusExporter, PlainOperandSpec.ABSENT);
    gfd = Objects.requireNonNullElse(gfd, GfdSpec.ABSENT);
    mig = Objects.requireNonNullElse(mig, MigSpec.ABSENT);
    migManager = Objects.requireNonNullElse(migManager, MigManagerSpec.ABSENT);
    validator = Objects.requireNonNullElse(validator, ValidatorSpec.ABSENT);
    cdi = Objects.requireNonNullElse(cdi, CdiSpec.ABSENT);
    gds = Objects.requireNonNullElse(gds, DriverAddonSpec.ABSENT);
    gdrcopy = Objects.requireNonNullElse(gdrcopy, DriverAddonSpec.ABSENT);
    hostPaths = Objects.requireNonNullElse(hostPaths, HostPathsSpec.ABSENT);
    psa = Objects.requireNonNullElse(psa, ToggleSpec.ABSENT);
    psp = Objects.requireNonNullElse(psp, ToggleSpec.ABSENT);
    sandboxWorkloads = Objects.requireNonNullElse(sandboxWorkloads, SandboxWorkloadsSpec.ABSENT);
    sandboxDevicePlugin = Objects.requireNonNullElse(sandboxDevicePlugin, PlainOperandSpec.ABSENT);
    kataSandboxDevicePlugin =
        Objects.requireNonNullElse(kataSandboxDevicePlugin, PlainOperandSpec.ABSENT);
    vfioManager = Objects.requireNonNullElse(vfioManager, VfioManagerSpec.ABSENT);
    vgpuManager = Objects.requireNonNullElse(vgpuManager, VgpuManagerSpec.ABSENT);
    vgpuDeviceManager = Objects.requireNonNullElse(vgpuDeviceManager, VgpuDeviceManagerSpec.ABSENT);
    ccManager = Objects.requireNonNullElse(ccManager, CcManagerSpec.ABSENT);
    kataManager = Objects.requireNonNullElse(kataManager, KataManagerSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
