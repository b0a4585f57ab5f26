package dev.pitcrew.api;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/// One JSON object of a custom resource, read into a record.
///
/// See the package documentation for the rule on absent values.
@JsonAutoDetect(
    getterVisibility = Visibility.NONE,
    isGetterVisibility = Visibility.NONE,
    fieldVisibility = Visibility.ANY)
@JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = Absent.Filter.class)
public interface Section {

  /// Fields of the object that the record does not know: a later version's, written back as they
  /// came.
  Map<String, JsonNode> unknown();

  /// Whether the document lacks this object altogether.
  default boolean isAbsent() {
    return Absent.isMark(unknown());
  }
}
