package dev.pitcrew.architecture.documentation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.Map;

/// The expressions by which Flux judges objects of a kind, evaluated in its order: in progress,
/// failed, current, else in progress.
final class FluxExpressions {
  private static final String FILE = "docs/gitops/flux.yaml";
  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("metadata", SimpleType.DYN)
          .addVar("status", SimpleType.DYN)
          .build();
  private static final CelRuntime RUNTIME = CelRuntimeFactory.standardCelRuntimeBuilder().build();

  private final JsonNode expressions;

  private FluxExpressions(JsonNode expressions) {
    this.expressions = expressions;
  }

  static FluxExpressions of(String kind) {
    return Documents.read(FILE).stream()
        .flatMap(document -> document.at("/spec/healthCheckExprs").valueStream())
        .filter(it -> it.path("kind").asText().equals(kind))
        .map(FluxExpressions::new)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no expressions for " + kind + " in " + FILE));
  }

  /// In Argo CD's words.
  String health(JsonNode object) {
    if (holds("inProgress", object)) {
      return "Progressing";
    }
    if (holds("failed", object)) {
      return "Degraded";
    }
    return holds("current", object) ? "Healthy" : "Progressing";
  }

  private boolean holds(String which, JsonNode object) {
    JsonNode expression = expressions.path(which);
    if (expression.isMissingNode()) {
      return false;
    }
    try {
      var program = RUNTIME.createProgram(COMPILER.compile(expression.asText()).getAst());
      return (boolean) program.eval(variables(object));
    } catch (CelValidationException | CelEvaluationException wrong) {
      throw new AssertionError(expression.asText(), wrong);
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> variables(JsonNode object) {
    return new ObjectMapper().convertValue(object, Map.class);
  }
}
