package dev.pitcrew.operator.metrics;

/// The answer to one scrape; the body is UTF-8 text.
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never shared after it was sent.
public record Scrape(String contentType, byte[] body) {}
