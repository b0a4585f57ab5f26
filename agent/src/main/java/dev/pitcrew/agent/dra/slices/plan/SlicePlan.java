package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.dra.ResourcePool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/// The calls that make the ResourceSlices of a node those of its pool.
///
/// Slices that are there are adopted, whichever program wrote them. A pool of the generation G is
/// complete for the scheduler when it sees as many slices of G as each of them names; older
/// generations do not count. The generation stays where a single update call does it and no slice
/// is added or removed, else all slices are written in the next one (ResourceSliceSpec of
/// resource.k8s.io/v1).
///
/// @param generation of the pool after these calls
/// @param writes in their order: slices of older generations go last
public record SlicePlan(long generation, List<SliceWrite> writes) {
  public static final String API_VERSION = "resource.k8s.io/v1";

  public SlicePlan {
    writes = List.copyOf(writes);
  }

  /// @param nodeUid of the Node that owns the slices
  /// @param live the slices of the driver on the node
  public static SlicePlan of(
      ResourcePool pool, String nodeUid, List<JsonNode> live, KeptSpecs kept) {
    return new Planning(pool, nodeUid, live, kept).plan();
  }

  /// The first slice of a pool as it is created where there is none yet.
  public static JsonNode first(ResourcePool pool, String nodeUid) {
    var planning = new Planning(pool, nodeUid, List.of(), KeptSpecs.NONE);
    return planning.create(0, planning.spec(0, 1)).body();
  }

  private static final class Planning {
    private final ResourcePool pool;
    private final String nodeUid;
    private final List<ObjectNode> wanted;
    private final KeptSpecs kept;
    private final long newest;
    private final List<JsonNode> unmatched;
    private final Map<Integer, JsonNode> matches = new HashMap<>();

    Planning(ResourcePool pool, String nodeUid, List<JsonNode> live, KeptSpecs kept) {
      this.pool = pool;
      this.nodeUid = nodeUid;
      this.kept = kept;
      wanted = pool.slices().stream().map(slice -> SliceSpec.of(pool, slice)).toList();
      newest = live.stream().filter(this::isOfPool).mapToLong(Planning::generation).max().orElse(0);
      unmatched = new ArrayList<>(live);
      unmatched.sort(
          Comparator.comparing((JsonNode slice) -> !isNewest(slice)).thenComparing(Planning::name));
    }

    SlicePlan plan() {
      match(index -> slice -> isNewest(slice) && isEqual(index, slice));
      match(index -> slice -> isNamed(index, slice));
      match(_ -> _ -> true);
      List<Integer> changed =
          IntStream.range(0, wanted.size()).filter(index -> !isSettled(index)).boxed().toList();
      boolean keepsGeneration =
          changed.size() <= 1
              && matches.size() == wanted.size()
              && matches.values().stream().allMatch(this::isNewest)
              && unmatched.stream().noneMatch(this::isNewest);
      return keepsGeneration
          ? new SlicePlan(newest, writes(newest, changed))
          : new SlicePlan(
              newest + 1, writes(newest + 1, IntStream.range(0, wanted.size()).boxed().toList()));
    }

    private interface Rule {
      Predicate<JsonNode> of(int index);
    }

    /// Gives each slice without a match the first one of this pool that fits.
    private void match(Rule rule) {
      for (int index = 0; index < wanted.size(); index++) {
        if (!matches.containsKey(index)) {
          int at = index;
          Optional<JsonNode> found =
              unmatched.stream().filter(this::isOfPool).filter(rule.of(at)).findFirst();
          found.ifPresent(slice -> {
            matches.put(at, slice);
            unmatched.remove(slice);
          });
        }
      }
    }

    private List<SliceWrite> writes(long generation, List<Integer> indices) {
      var writes = new ArrayList<SliceWrite>();
      for (int index : indices) {
        ObjectNode spec = spec(index, generation);
        writes.add(
            matches.containsKey(index) ? update(matches.get(index), spec) : create(index, spec));
      }
      unmatched.forEach(slice ->
          writes.add(new SliceWrite.Delete(name(slice), text(slice, "uid"), version(slice))));
      return writes;
    }

    private ObjectNode spec(int index, long generation) {
      ObjectNode spec = wanted.get(index).deepCopy();
      ((ObjectNode) spec.path("pool"))
          .put("generation", generation)
          .put("resourceSliceCount", wanted.size());
      return spec;
    }

    private SliceWrite.Create create(int index, ObjectNode spec) {
      ObjectNode body = body();
      ObjectNode metadata = body.putObject("metadata");
      metadata.put("generateName", pool.generateName(index));
      metadata.putArray("ownerReferences").add(owner());
      body.set("spec", spec);
      return new SliceWrite.Create(body);
    }

    private SliceWrite update(JsonNode slice, ObjectNode spec) {
      keepTimes(spec, slice);
      ObjectNode body = body();
      ObjectNode metadata = slice.path("metadata").deepCopy();
      metadata.putArray("ownerReferences").add(owner());
      body.set("metadata", metadata);
      body.set("spec", spec);
      return new SliceWrite.Update(name(slice), body);
    }

    /// Of taints that stay: pods are evicted by the time since they were added.
    private static void keepTimes(ObjectNode spec, JsonNode live) {
      for (JsonNode device : spec.path("devices")) {
        for (JsonNode taint : device.path("taints")) {
          live.at("/spec/devices")
              .valueStream()
              .filter(it -> it.path("name").equals(device.path("name")))
              .flatMap(it -> it.path("taints").valueStream())
              .filter(it ->
                  taint.properties().stream()
                      .allMatch(field -> field.getValue().equals(it.get(field.getKey()))))
              .map(it -> it.path(SliceSpec.TIME_OF_TAINT))
              .filter(JsonNode::isTextual)
              .findFirst()
              .ifPresent(time -> ((ObjectNode) taint).set(SliceSpec.TIME_OF_TAINT, time));
        }
      }
    }

    private static ObjectNode body() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("apiVersion", API_VERSION)
          .put("kind", "ResourceSlice");
    }

    private ObjectNode owner() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("apiVersion", "v1")
          .put("kind", "Node")
          .put("name", pool.node())
          .put("uid", nodeUid)
          .put("controller", true);
    }

    private boolean isSettled(int index) {
      return matches.containsKey(index)
          && isNewest(matches.get(index))
          && isEqual(index, matches.get(index));
    }

    private boolean isEqual(int index, JsonNode slice) {
      return slice.at("/spec/pool/resourceSliceCount").asInt() == wanted.size()
          && isOwned(slice)
          && kept.of(wanted.get(index)).equals(SliceSpec.live(slice));
    }

    private boolean isOwned(JsonNode slice) {
      return slice
          .at("/metadata/ownerReferences")
          .valueStream()
          .anyMatch(owner ->
              owner.path("uid").asText().equals(nodeUid) && owner.path("controller").asBoolean());
    }

    private boolean isNamed(int index, JsonNode slice) {
      return name(slice).startsWith("%05x-".formatted(index));
    }

    private boolean isOfPool(JsonNode slice) {
      return slice.at("/spec/pool/name").asText().equals(pool.node());
    }

    private boolean isNewest(JsonNode slice) {
      return isOfPool(slice) && generation(slice) == newest;
    }

    private static long generation(JsonNode slice) {
      return slice.at("/spec/pool/generation").asLong();
    }

    private static String name(JsonNode slice) {
      return text(slice, "name");
    }

    private static String version(JsonNode slice) {
      return text(slice, "resourceVersion");
    }

    private static String text(JsonNode slice, String field) {
      return slice.path("metadata").path(field).asText();
    }
  }
}
