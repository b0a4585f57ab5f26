package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.device.dra.ResourcePool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What the API server made of the specs that it was sent, as far as it changed them. A slice that
/// is as the server keeps it is not written again.
///
/// @param bySent the spec that the server has, by the one that it was sent
public record KeptSpecs(Map<JsonNode, JsonNode> bySent) {
  public static final KeptSpecs NONE = new KeptSpecs(Map.of());

  public KeptSpecs {
    bySent = Map.copyOf(bySent);
  }

  /// With the reply to one more write.
  public KeptSpecs with(JsonNode sent, JsonNode reply) {
    JsonNode wanted = SliceSpec.live(sent);
    JsonNode kept = SliceSpec.live(reply);
    var all = new HashMap<>(bySent);
    if (wanted.equals(kept)) {
      all.remove(wanted);
    } else {
      all.put(wanted, kept);
    }
    return new KeptSpecs(all);
  }

  /// Without the specs of slices that the pool does not have.
  public KeptSpecs retaining(ResourcePool pool) {
    var all = new HashMap<>(bySent);
    all.keySet().retainAll(specs(pool));
    return new KeptSpecs(all);
  }

  /// What the server keeps of the slices of a pool.
  public Kept of(ResourcePool pool) {
    return specs(pool).stream()
        .map(wanted -> Kept.of(wanted, of(wanted)))
        .reduce(new Kept.Everything(), Kept::and);
  }

  private static List<JsonNode> specs(ResourcePool pool) {
    return pool.slices().stream().<JsonNode>map(slice -> SliceSpec.of(pool, slice)).toList();
  }

  /// How the server keeps a spec, as far as it is known.
  JsonNode of(JsonNode wanted) {
    return bySent.getOrDefault(wanted, wanted);
  }
}
