package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.DriverAddonSpec;
import dev.pitcrew.api.HostPathsSpec;
import dev.pitcrew.api.RdmaSpec;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.clusterpolicy.CdiSpec;
import dev.pitcrew.api.clusterpolicy.DevicePluginSpec;
import dev.pitcrew.api.clusterpolicy.GfdSpec;
import dev.pitcrew.api.clusterpolicy.MigManagerSpec;
import dev.pitcrew.api.clusterpolicy.MigSpec;
import dev.pitcrew.api.clusterpolicy.PlainOperandSpec;
import dev.pitcrew.api.clusterpolicy.ToolkitSpec;
import dev.pitcrew.api.clusterpolicy.ValidatorSpec;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The sections of a ClusterPolicy that the agent reads, as the user wrote them. Sections that it
/// does not read yet stay unread in `unknown`, so that none of them can make the others unreadable,
/// nor cost the agent memory.
public record AgentPolicy(
    DevicePluginSpec devicePlugin,
    GfdSpec gfd,
    MigSpec mig,
    MigManagerSpec migManager,
    CdiSpec cdi,
    ToolkitSpec toolkit,
    DriverAddonSpec gds,
    DriverAddonSpec gdrcopy,
    HostPathsSpec hostPaths,
    ValidatorSpec validator,
    PlainOperandSpec nodeStatusExporter,
    DcgmExporterSpec dcgmExporter,
    DriverPart driver,
    OperatorPart operator,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// What of `driver` an agent needs; its other fields are the driver container's.
  public record DriverPart(
      @Nullable Boolean enabled, RdmaSpec rdma, @Unknown Map<String, JsonNode> unknown)
      implements Section {
    private static final DriverPart ABSENT = Absent.of(DriverPart.class);

    public DriverPart {
      rdma = Objects.requireNonNullElse(rdma, RdmaSpec.ABSENT);
      unknown = Absent.orUnknown(unknown);
    }

    /// Whether the operator installs the driver.
    public boolean isEnabled() {
      return !Boolean.FALSE.equals(enabled);
    }
  }

  /// The part of `operator` that an agent needs.
  ///
  /// @param defaultRuntime `containerd`, `crio` or `docker`, where a node does not report its own
  /// @param runtimeClass the name of the RuntimeClass for GPUs; `nvidia` if it is absent
  public record OperatorPart(
      @Nullable String defaultRuntime,
      @Nullable String runtimeClass,
      @Unknown Map<String, JsonNode> unknown)
      implements Section {
    private static final OperatorPart ABSENT = Absent.of(OperatorPart.class);

    public OperatorPart {
      unknown = Absent.orUnknown(unknown);
    }
  }

  /// The section where the document has none.
  public static final AgentPolicy ABSENT = Absent.of(AgentPolicy.class);

  public AgentPolicy {
    devicePlugin = Objects.requireNonNullElse(devicePlugin, DevicePluginSpec.ABSENT);
    gfd = Objects.requireNonNullElse(gfd, GfdSpec.ABSENT);
    mig = Objects.requireNonNullElse(mig, MigSpec.ABSENT);
    migManager = Objects.requireNonNullElse(migManager, MigManagerSpec.ABSENT);
    cdi = Objects.requireNonNullElse(cdi, CdiSpec.ABSENT);
    toolkit = Objects.requireNonNullElse(toolkit, ToolkitSpec.ABSENT);
    gds = Objects.requireNonNullElse(gds, DriverAddonSpec.ABSENT);
    gdrcopy = Objects.requireNonNullElse(gdrcopy, DriverAddonSpec.ABSENT);
    hostPaths = Objects.requireNonNullElse(hostPaths, HostPathsSpec.ABSENT);
    validator = Objects.requireNonNullElse(validator, ValidatorSpec.ABSENT);
    nodeStatusExporter = Objects.requireNonNullElse(nodeStatusExporter, PlainOperandSpec.ABSENT);
    dcgmExporter = Objects.requireNonNullElse(dcgmExporter, DcgmExporterSpec.ABSENT);
    driver = Objects.requireNonNullElse(driver, DriverPart.ABSENT);
    operator = Objects.requireNonNullElse(operator, OperatorPart.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
