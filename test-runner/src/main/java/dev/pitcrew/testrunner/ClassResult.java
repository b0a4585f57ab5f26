package dev.pitcrew.testrunner;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// What came of the tests of one class; a worker sends it to the runner.
///
/// @param passed the number of tests that passed
record ClassResult(int passed, List<Note> failures, List<Note> skips) {
  /// A limit of [DataOutputStream#writeUTF] is 65,535 bytes.
  private static final int LONGEST = 16_000;

  ClassResult {
    failures = List.copyOf(failures);
    skips = List.copyOf(skips);
  }

  /// What is to be said of one test.
  ///
  /// @param test class and method, or the class alone
  /// @param text why it was skipped, or the stack trace of its failure
  record Note(String test, String text) {}

  static ClassResult failed(String test, String text) {
    return new ClassResult(0, List.of(new Note(test, text)), List.of());
  }

  boolean isFailed() {
    return !failures.isEmpty();
  }

  void writeTo(DataOutputStream stream) throws IOException {
    stream.writeInt(passed);
    writeNotes(failures, stream);
    writeNotes(skips, stream);
    stream.flush();
  }

  static ClassResult readFrom(DataInputStream stream) throws IOException {
    return new ClassResult(stream.readInt(), readNotes(stream), readNotes(stream));
  }

  private static void writeNotes(List<Note> notes, DataOutputStream stream) throws IOException {
    stream.writeInt(notes.size());
    for (var note : notes) {
      stream.writeUTF(shortened(note.test()));
      stream.writeUTF(shortened(note.text()));
    }
  }

  private static List<Note> readNotes(DataInputStream stream) throws IOException {
    var notes = new ArrayList<Note>();
    for (var count = stream.readInt(); count > 0; count--) {
      notes.add(new Note(stream.readUTF(), stream.readUTF()));
    }
    return notes;
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + " …";
  }
}
