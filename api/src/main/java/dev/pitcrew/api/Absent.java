package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What stands in a record for a list, a map or a section that the document does not have.
///
/// Readers see plain empty values. The writer leaves out exactly these instances, so an absent list
/// and an explicit `[]` read the same and are still written back as they came.
@SuppressWarnings(
    "ReferenceEquality") // equal is not enough: an explicit [] is equal to the absent list
public final class Absent {
  private static final List<?> LIST = Collections.unmodifiableList(new ArrayList<>(0));
  private static final Map<?, ?> MAP = Collections.unmodifiableMap(new LinkedHashMap<>(0));
  private static final Map<String, JsonNode> SECTION =
      Collections.unmodifiableMap(new LinkedHashMap<>(0));

  private Absent() {}

  /// The absent list.
  @SuppressWarnings("unchecked") // holds no element of any type
  public static <T> List<T> list() {
    return (List<T>) LIST;
  }

  /// The absent map.
  @SuppressWarnings("unchecked") // holds no entry of any type
  public static <K, V> Map<K, V> map() {
    return (Map<K, V>) MAP;
  }

  /// The instance of a section's record that stands for an absent section: every component absent.
  public static <S extends Record & Section> S of(Class<S> section) {
    return of(section, Map.of());
  }

  /// As [#of(Class)], with values for the components that absence gives a meaning to.
  public static <S extends Record & Section> S of(Class<S> section, Map<String, ?> meaning) {
    var components = section.getRecordComponents();
    var types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var values =
        Stream.of(components)
            .map(RecordComponent::getName)
            .map(name -> name.equals("unknown") ? SECTION : meaning.get(name))
            .toArray();
    try {
      return section.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException("build the absent " + section.getSimpleName(), broken);
    }
  }

  /// An immutable copy of the given list, or the absent one.
  public static <T> List<T> orList(@Nullable List<T> given) {
    return given == null || given == LIST ? list() : List.copyOf(given);
  }

  /// An immutable copy of the given map in its own order, or the absent one.
  public static <K, V> Map<K, V> orMap(@Nullable Map<K, V> given) {
    if (given == null || given == MAP) {
      return map();
    }
    return Collections.unmodifiableMap(new LinkedHashMap<>(given));
  }

  /// The unknown fields of a section in their own order; the mark of an absent section stays what
  /// it is.
  public static Map<String, JsonNode> orUnknown(@Nullable Map<String, JsonNode> given) {
    if (given == null) {
      return Map.of();
    }
    return isMark(given) ? given : orMap(given);
  }

  static boolean isMark(Map<String, JsonNode> unknown) {
    return unknown == SECTION;
  }

  /// Jackson's filter of values that are not written: it is "equal" to whatever stands for an
  /// absent value.
  static final class Filter {
    @Override
    public boolean equals(@Nullable Object value) {
      return value == null
          || value == LIST
          || value == MAP
          || (value instanceof Section section && section.isAbsent());
    }

    @Override
    public int hashCode() {
      return Objects.hash(Filter.class);
    }
  }
}
