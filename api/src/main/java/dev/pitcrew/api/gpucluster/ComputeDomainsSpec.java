package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Compute domains through DRA: on where the section is there and not disabled.
public record ComputeDomainsSpec(
    @Nullable Boolean enabled,
    KubeletPluginSpec kubeletPlugin,
    ControllerSpec controller,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none: off.
  public static final ComputeDomainsSpec ABSENT =
      Absent.of(ComputeDomainsSpec.class, Map.of("enabled", false));

  public ComputeDomainsSpec {
    kubeletPlugin = Objects.requireNonNullElse(kubeletPlugin, KubeletPluginSpec.ABSENT);
    controller = Objects.requireNonNullElse(controller, ControllerSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether compute domains are served.
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }
}
