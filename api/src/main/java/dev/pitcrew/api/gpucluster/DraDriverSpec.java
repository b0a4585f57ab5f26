package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ImageSpec;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The DRA driver: one image for its plugins and its controller.
public record DraDriverSpec(
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Nullable String imagePullPolicy,
    List<String> imagePullSecrets,
    Map<String, Boolean> featureGates,
    GpusSpec gpus,
    ComputeDomainsSpec computeDomains,
    @Unknown Map<String, JsonNode> unknown)
    implements ImageSpec {

  /// The section where the resource has none.
  public static final DraDriverSpec ABSENT = Absent.of(DraDriverSpec.class);

  public DraDriverSpec {
    imagePullSecrets = Absent.orList(imagePullSecrets);
    featureGates = Absent.orMap(featureGates);
    gpus = Objects.requireNonNullElse(gpus, GpusSpec.ABSENT);
    computeDomains = Objects.requireNonNullElse(computeDomains, ComputeDomainsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
