package dev.pitcrew.architecture.documentation;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.luaj.vm2.LoadState;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.compiler.LuaC;
import org.luaj.vm2.lib.PackageLib;
import org.luaj.vm2.lib.TableLib;
import org.luaj.vm2.lib.jse.JseBaseLib;

/// A health check for Argo CD, run as Argo CD runs it: Lua 5.1 with the basic functions, tables and
/// nothing else, and the object as the variable `obj`.
final class HealthScript {
  private static final String FILE = "docs/gitops/argocd-cm.yaml";
  private static final String KEY = "resource.customizations.health.";

  private final String kind;
  private final String text;

  private HealthScript(String kind, String text) {
    this.kind = kind;
    this.text = text;
  }

  /// What a script says of an object.
  record Health(String status, String message) {}

  /// @param kind `GROUP_KIND`
  static HealthScript of(String kind) {
    JsonNode script = data().path(KEY + kind);
    if (!script.isTextual()) {
      throw new AssertionError("no script for " + kind + " in " + FILE);
    }
    return new HealthScript(kind, script.asText());
  }

  static JsonNode data() {
    return Documents.read(FILE).getFirst().path("data");
  }

  Health of(JsonNode object) {
    var globals = new LuaTable();
    globals.load(new JseBaseLib());
    globals.load(new PackageLib());
    globals.load(new TableLib());
    LuaC.install();
    globals.set("obj", lua(object));
    try {
      var source = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
      LuaValue health = LoadState.load(source, kind, globals).call();
      return new Health(health.get("status").checkjstring(), health.get("message").optjstring(""));
    } catch (IOException e) {
      throw new UncheckedIOException("reading the script for " + kind, e);
    }
  }

  /// JSON's null is no field, as in Argo CD.
  private static LuaValue lua(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> {
        var table = new LuaTable();
        node.properties().forEach(field -> table.set(field.getKey(), lua(field.getValue())));
        yield table;
      }
      case ARRAY -> {
        var table = new LuaTable();
        for (int i = 0; i < node.size(); i++) {
          table.set(i + 1, lua(node.get(i)));
        }
        yield table;
      }
      case NUMBER -> LuaValue.valueOf(node.doubleValue());
      case BOOLEAN -> LuaValue.valueOf(node.booleanValue());
      case STRING -> LuaValue.valueOf(node.asText());
      case NULL, MISSING -> LuaValue.NIL;
      case BINARY, POJO -> throw new IllegalArgumentException(node.toString());
    };
  }
}
