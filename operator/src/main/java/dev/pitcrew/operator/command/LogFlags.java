package dev.pitcrew.operator.command;

import dev.pitcrew.core.log.LogEncoder;
import dev.pitcrew.core.log.LogLevel;
import dev.pitcrew.core.log.LogOptions;
import dev.pitcrew.core.log.TimeEncoding;
import java.util.Optional;
import java.util.function.Function;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The NVIDIA GPU Operator's `--zap-*` flags. `--zap-devel` changes the defaults of the others.
final class LogFlags {
  @Option(
      names = "--zap-devel",
      paramLabel = "<true|false>",
      arity = "0..1",
      fallbackValue = "true",
      description = "Log for people: console lines, from debug upwards.")
  boolean development;

  @Option(
      names = "--zap-encoder",
      paramLabel = "<json|console>",
      converter = EncoderConverter.class,
      description = "Shape of the log lines (default: json, or console with --zap-devel).")
  @Nullable LogEncoder encoder;

  @Option(
      names = "--zap-log-level",
      paramLabel = "<level>",
      converter = LevelConverter.class,
      description =
          "Least severe level that is logged: debug, info, error, panic, or a number above 0 for more than"
              + " debug (default: info, or debug with --zap-devel).")
  @Nullable Level level;

  @Option(
      names = "--zap-time-encoding",
      paramLabel = "<encoding>",
      converter = TimeEncodingConverter.class,
      description =
          "Time stamps: epoch, millis, nano, iso8601, rfc3339 or rfc3339nano (default: rfc3339, or iso8601"
              + " with --zap-devel).")
  @Nullable TimeEncoding timeEncoding;

  @Option(
      names = "--zap-stacktrace-level",
      paramLabel = "<info|error|panic>",
      description = "Taken for compatibility: an error is always logged with its stack trace.")
  @Nullable String stacktraceLevel;

  LogOptions options() {
    LogOptions defaults = development ? LogOptions.development() : LogOptions.production();
    return new LogOptions(
        encoder == null ? defaults.encoder() : encoder,
        timeEncoding == null ? defaults.timeEncoding() : timeEncoding,
        level == null ? defaults.level() : level);
  }

  static final class EncoderConverter implements ITypeConverter<LogEncoder> {
    @Override
    public LogEncoder convert(String text) {
      return known(text, LogEncoder::parse, "json, console");
    }
  }

  static final class LevelConverter implements ITypeConverter<Level> {
    @Override
    public Level convert(String text) {
      return known(text, LogLevel::parse, "debug, info, error, panic or a number above 0");
    }
  }

  static final class TimeEncodingConverter implements ITypeConverter<TimeEncoding> {
    @Override
    public TimeEncoding convert(String text) {
      return known(text, TimeEncoding::parse, "epoch, millis, nano, iso8601, rfc3339, rfc3339nano");
    }
  }

  private static <T> T known(String text, Function<String, Optional<T>> parse, String valid) {
    return parse
        .apply(text)
        .orElseThrow(
            () -> new TypeConversionException("'%s' is none of: %s".formatted(text, valid)));
  }
}
