package dev.pitcrew.agent.settings;

/// The value of a variable that an operand would have, and the field that says so.
record Variable(String value, String field) {}
