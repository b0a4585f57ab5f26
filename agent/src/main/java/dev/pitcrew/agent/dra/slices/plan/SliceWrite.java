package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.databind.JsonNode;

/// One call to the API server about a ResourceSlice.
public sealed interface SliceWrite {

  /// @param body with `metadata.generateName`
  record Create(JsonNode body) implements SliceWrite {}

  /// @param body with the resource version that is replaced
  record Update(String name, JsonNode body) implements SliceWrite {}

  /// Deletes the slice with this uid and version alone.
  record Delete(String name, String uid, String resourceVersion) implements SliceWrite {}
}
