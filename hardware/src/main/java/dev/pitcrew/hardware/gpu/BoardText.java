package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import dev.pitcrew.hardware.nvml.TextCalls;
import dev.pitcrew.hardware.nvml.TextCalls.InforomPart;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// The texts that a board reports about itself and keeps for as long as the driver is loaded.
public enum BoardText {
  NVML_VERSION,
  BRAND,
  SERIAL,
  VBIOS_VERSION,
  INFOROM_IMAGE,
  INFOROM_OEM,
  INFOROM_ECC,
  INFOROM_POWER,
  FABRIC_CLUSTER,
  INFINIBAND_GUID,
  CHASSIS_SERIAL;

  /// All that this board has.
  static Answer<Map<BoardText, String>> read(NvmlLibrary nvml, int index) {
    return nvml.driver()
        .deviceAt(index)
        .map(gpu -> {
          var texts = new EnumMap<BoardText, String>(BoardText.class);
          Arrays.stream(values())
              .forEach(wanted ->
                  wanted.of(nvml, gpu).toOptional().ifPresent(it -> texts.put(wanted, it)));
          return texts;
        });
  }

  private Answer<String> of(NvmlLibrary nvml, DeviceHandle gpu) {
    TextCalls calls = nvml.texts();
    return switch (this) {
      case NVML_VERSION -> calls.nvmlVersion();
      case BRAND -> nvml.devices().brand(gpu).map(Brand::words);
      case SERIAL -> calls.serial(gpu);
      case VBIOS_VERSION -> calls.vbiosVersion(gpu);
      case INFOROM_IMAGE -> calls.inforomImage(gpu);
      case INFOROM_OEM -> calls.inforom(gpu, InforomPart.OEM);
      case INFOROM_ECC -> calls.inforom(gpu, InforomPart.ECC);
      case INFOROM_POWER -> calls.inforom(gpu, InforomPart.POWER);
      case FABRIC_CLUSTER -> nvml.devices().fabric(gpu).map(it -> it.cluster().toString());
      case INFINIBAND_GUID -> calls.infinibandGuid(gpu);
      case CHASSIS_SERIAL -> calls.chassisSerial(gpu);
    };
  }
}
