package dev.pitcrew.device.dra;

import dev.pitcrew.device.inventory.MigAttributes;

/// One of the things that a MIG device has a share of, as NVIDIA's DRA driver names it.
enum MigAmount {
  MULTIPROCESSORS("multiprocessors", "multiprocessors"),
  COPY_ENGINES("copyEngines", "copy-engines"),
  DECODERS("decoders", "decoders"),
  ENCODERS("encoders", "encoders"),
  JPEG_ENGINES("jpegEngines", "jpeg-engines"),
  OFA_ENGINES("ofaEngines", "ofa-engines"),
  MEMORY("memory", "memory");

  private static final int MIB_SHIFT = 20;

  private final String capacity;
  private final String counter;

  MigAmount(String capacity, String counter) {
    this.capacity = capacity;
    this.counter = counter;
  }

  /// Its name among the capacities of a device.
  String capacity() {
    return capacity;
  }

  /// Its name among the counters of a GPU.
  String counter() {
    return counter;
  }

  long of(MigAttributes attributes) {
    return switch (this) {
      case MULTIPROCESSORS -> attributes.multiprocessors();
      case COPY_ENGINES -> attributes.engines().copy();
      case DECODERS -> attributes.engines().decoder();
      case ENCODERS -> attributes.engines().encoder();
      case JPEG_ENGINES -> attributes.engines().jpeg();
      case OFA_ENGINES -> attributes.engines().ofa();
      case MEMORY -> attributes.memoryMiB() << MIB_SHIFT;
    };
  }

  Quantity quantity(long amount) {
    return this == MEMORY ? Quantity.ofBytes(amount) : Quantity.ofCount(amount);
  }
}
