package dev.pitcrew.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.util.List;
import java.util.Map;

/// Reads custom resources into records and writes them back, without changing a value on the way.
public final class ApiJson {
  private static final JsonMapper MAPPER = mapper();

  private ApiJson() {}

  /// Reads a parsed document.
  ///
  /// @throws UnreadableResource if a value does not fit, naming its field
  public static <T> T read(JsonNode document, Class<T> type) {
    try {
      return MAPPER.treeToValue(document, type);
    } catch (JsonMappingException misfit) {
      throw new UnreadableResource(explain(document, type, misfit), misfit);
    } catch (JsonProcessingException broken) {
      throw new UnreadableResource("read a " + type.getSimpleName(), broken);
    }
  }

  /// Reads a document that a client holds as maps, lists and scalars.
  ///
  /// @throws UnreadableResource if a value does not fit, naming its field
  public static <T> T read(Map<String, ?> document, Class<T> type) {
    return read(MAPPER.<JsonNode>valueToTree(document), type);
  }

  /// Reads JSON text.
  ///
  /// @throws UnreadableResource if the text is no JSON or a value does not fit
  public static <T> T read(String json, Class<T> type) {
    try {
      return read(MAPPER.readTree(json), type);
    } catch (JsonProcessingException broken) {
      throw new UnreadableResource(
          type.getSimpleName() + " is not JSON: " + broken.getOriginalMessage(), broken);
    }
  }

  /// The value as a JSON tree.
  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /// The value as JSON text.
  public static String write(Object value) {
    return tree(value).toString();
  }

  private static String explain(JsonNode document, Class<?> type, JsonMappingException misfit) {
    var path = new StringBuilder();
    var at = document;
    for (var step : misfit.getPath()) {
      var name = step.getFieldName();
      path.append(name == null ? "[" + step.getIndex() + "]" : (path.isEmpty() ? "" : ".") + name);
      at = name == null ? at.path(step.getIndex()) : at.path(name);
    }
    var field = type.getSimpleName() + ": " + path;
    return at.isMissingNode() ? field + " is missing" : field + " is " + at + reason(misfit);
  }

  private static String reason(JsonMappingException misfit) {
    var target =
        switch (misfit) {
          case ValueInstantiationException refused -> refused.getType().getRawClass();
          case MismatchedInputException mismatch -> mismatch.getTargetType();
          default -> null;
        };
    return target == null
        ? ": " + misfit.getOriginalMessage()
        : ", but must be " + expected(target);
  }

  private static String expected(Class<?> target) {
    if (target.isEnum()) {
      return "one of " + tree(target.getEnumConstants());
    }
    if (target == IntOrString.class) {
      return "a whole number or text";
    }
    if (target == Boolean.class) {
      return "true or false";
    }
    if (target == String.class) {
      return "text";
    }
    if (List.class.isAssignableFrom(target)) {
      return "a list";
    }
    return Number.class.isAssignableFrom(target) || target.isPrimitive()
        ? "a whole number"
        : "an object";
  }

  private static JsonMapper mapper() {
    var mapper =
        JsonMapper.builder()
            .annotationIntrospector(new RecordAnnotations())
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();
    for (var shape :
        List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
      mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
    }
    return mapper;
  }
}
