package dev.pitcrew.agent.cdi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cdi.ContainerEdits.DeviceNodeEdit;
import dev.pitcrew.agent.cdi.ContainerEdits.Hook;
import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.agent.cdi.ContainerEdits.NodeDetails;
import java.util.List;

/// Writes a specification as text. Empty values are left out, and numbers that are 0.
public enum CdiDocument {
  /// On one line, as the device plugin writes it.
  JSON("json"),
  /// As `nvidia-ctk` writes it.
  YAML("yaml");

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final String extension;

  CdiDocument(String extension) {
    this.extension = extension;
  }

  /// The name of the file that a runtime finds the specification in.
  public String fileName(CdiSpecification specification) {
    String owner = specification.owner().map(it -> "_" + it).orElse("");
    return specification.kind().fileStem() + owner + "." + extension;
  }

  public String text(CdiSpecification specification) {
    ObjectNode tree = tree(specification);
    return switch (this) {
      case JSON -> tree.toString();
      case YAML -> BlockYaml.of(tree);
    };
  }

  private static ObjectNode tree(CdiSpecification specification) {
    ObjectNode root = NODES.objectNode();
    root.put("cdiVersion", MinimumVersion.of(specification));
    root.put("kind", specification.kind().toString());
    ArrayNode devices = root.putArray("devices");
    for (CdiDevice device : specification.devices()) {
      ObjectNode one = devices.addObject();
      one.put("name", device.name());
      one.set("containerEdits", edits(device.edits()));
    }
    // Runtimes accept a specification without common edits, and nvidia-ctk omits empty ones.
    if (!specification.common().isEmpty()) {
      root.set("containerEdits", edits(specification.common()));
    }
    return root;
  }

  private static ObjectNode edits(ContainerEdits edits) {
    ObjectNode node = NODES.objectNode();
    putTexts(node, "env", edits.env());
    if (!edits.deviceNodes().isEmpty()) {
      ArrayNode nodes = node.putArray("deviceNodes");
      edits.deviceNodes().forEach(one -> nodes.add(deviceNode(one)));
    }
    if (!edits.hooks().isEmpty()) {
      ArrayNode hooks = node.putArray("hooks");
      edits.hooks().forEach(one -> hooks.add(hook(one)));
    }
    if (!edits.mounts().isEmpty()) {
      ArrayNode mounts = node.putArray("mounts");
      edits.mounts().forEach(one -> mounts.add(mount(one)));
    }
    if (!edits.additionalGroups().isEmpty()) {
      ArrayNode groups = node.putArray("additionalGids");
      edits.additionalGroups().forEach(groups::add);
    }
    return node;
  }

  private static ObjectNode deviceNode(DeviceNodeEdit edit) {
    ObjectNode node = NODES.objectNode();
    node.put("path", edit.path());
    edit.hostPath().ifPresent(path -> node.put("hostPath", path));
    edit.details().ifPresent(details -> putDetails(node, details));
    return node;
  }

  private static void putDetails(ObjectNode node, NodeDetails details) {
    putText(node, "type", details.type());
    putNumber(node, "major", details.major());
    putNumber(node, "minor", details.minor());
    putNumber(node, "fileMode", details.fileMode());
    putText(node, "permissions", details.permissions());
    putNumber(node, "gid", details.group());
  }

  private static ObjectNode hook(Hook hook) {
    ObjectNode node = NODES.objectNode();
    node.put("hookName", hook.name());
    node.put("path", hook.path());
    putTexts(node, "args", hook.args());
    putTexts(node, "env", hook.env());
    return node;
  }

  private static ObjectNode mount(Mount mount) {
    ObjectNode node = NODES.objectNode();
    node.put("hostPath", mount.hostPath());
    node.put("containerPath", mount.containerPath());
    putTexts(node, "options", mount.options());
    return node;
  }

  private static void putTexts(ObjectNode node, String field, List<String> texts) {
    if (!texts.isEmpty()) {
      ArrayNode array = node.putArray(field);
      texts.forEach(array::add);
    }
  }

  private static void putText(ObjectNode node, String field, String text) {
    if (!text.isEmpty()) {
      node.put(field, text);
    }
  }

  private static void putNumber(ObjectNode node, String field, int number) {
    if (number != 0) {
      node.put(field, number);
    }
  }
}
