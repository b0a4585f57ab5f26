package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import java.util.List;

/// The digest of everything that decides which driver gets installed. The driver manager compares
/// it with the one of the driver that is loaded and skips the reload when they are equal, so a
/// cluster keeps its drivers only if the digest is what it was.
final class DriverConfigDigest {
  static final String VARIABLE = "DRIVER_CONFIG_DIGEST";

  private DriverConfigDigest() {}

  static void apply(DriverRendering rendering) {
    DaemonSetDraft draft = rendering.draft();
    String digest = of(draft);
    for (String name :
        List.of(DriverManagerContainer.NAME, DriverShape.DRIVER, DriverToolkit.CONTAINER)) {
      if (draft.has(name)) {
        draft.find(name).env(VARIABLE, digest);
      }
    }
  }

  static String of(DaemonSetDraft draft) {
    var fields = new DigestFields();
    ContainerDraft driver = draft.find(DriverShape.DRIVER);
    fields.string("DriverImage", driver.image());
    fields.strings("DriverCommand", driver.command());
    fields.strings("DriverArgs", driver.args());
    fields.environment("DriverEnv", driver.env());
    driver
        .envFrom()
        .forEach(from -> fields.string("SecretEnvSource", from.getSecretRef().getName()));
    fields.mounts(driver.mounts());
    fields.volumes(draft.volumes());
    draft.hostPathOf("host-root").ifPresent(root -> fields.string("HostRoot", root.getPath()));
    if (draft.has(DriverManagerContainer.NAME)) {
      ContainerDraft manager = draft.find(DriverManagerContainer.NAME);
      fields.string("DriverManagerImage", manager.image());
      fields.environment("ManagerEnv", manager.env());
    }
    sideContainers(fields, draft);
    return fields.digest();
  }

  private static void sideContainers(DigestFields fields, DaemonSetDraft draft) {
    if (draft.has(DriverShape.PEERMEM)) {
      fields.flag("GPUDirectRDMAEnabled");
      fields.string("PeermemImage", draft.find(DriverShape.PEERMEM).image());
    }
    if (draft.has(DriverShape.GDS)) {
      fields.flag("GDSEnabled");
      fields.string("GDSImage", draft.find(DriverShape.GDS).image());
      fields.environment("GDSEnv", draft.find(DriverShape.GDS).env());
    }
    if (draft.has(DriverShape.GDRCOPY)) {
      fields.flag("GDRCopyEnabled");
      fields.string("GDRCopyImage", draft.find(DriverShape.GDRCOPY).image());
      fields.environment("GDRCopyEnv", draft.find(DriverShape.GDRCOPY).env());
    }
    if (draft.has(DriverToolkit.CONTAINER)) {
      fields.flag("DTKEnabled");
      fields.string("DTKImage", draft.find(DriverToolkit.CONTAINER).image());
    }
  }
}
