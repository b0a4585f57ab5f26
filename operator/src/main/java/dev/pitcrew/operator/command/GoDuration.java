package dev.pitcrew.operator.command;

import dev.pitcrew.core.text.GoText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Durations as Go programs take them: `15s`, `1m30s`, `1.5h`, `500ms`, `0`; none of ours is
/// negative.
final class GoDuration implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    return GoText.duration(text)
        .filter(duration -> !duration.isNegative())
        .orElseThrow(() ->
            new TypeConversionException(
                "'%s' is no duration; give a number with its unit, such as 15s or 1m30s"
                    .formatted(text)));
  }
}
