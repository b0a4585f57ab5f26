package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Virtual machines and Kata containers beside ordinary ones.
public record SandboxWorkloadsSpec(
    @Nullable Boolean enabled,
    @Nullable String defaultWorkload,
    @Nullable String mode,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final SandboxWorkloadsSpec ABSENT = Absent.of(SandboxWorkloadsSpec.class);

  public SandboxWorkloadsSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether sandboxed workloads are wanted.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// What nodes without the workload label run: `container`, `vm-passthrough` or `vm-vgpu`.
  public String defaultWorkloadOrDefault() {
    return Objects.requireNonNullElse(defaultWorkload, "container");
  }

  /// Who runs the sandboxes: `kubevirt` or `kata`.
  public String modeOrDefault() {
    return Objects.requireNonNullElse(mode, "kubevirt");
  }
}
