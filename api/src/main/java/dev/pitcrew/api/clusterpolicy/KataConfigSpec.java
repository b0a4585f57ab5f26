package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Settings of the Kata manager; accepted and ignored.
public record KataConfigSpec(
    @Nullable String artifactsDir,
    List<KataRuntimeClassSpec> runtimeClasses,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final KataConfigSpec ABSENT = Absent.of(KataConfigSpec.class);

  public KataConfigSpec {
    runtimeClasses = Absent.orList(runtimeClasses);
    unknown = Absent.orUnknown(unknown);
  }
}
