package telemetry

import (
	"fmt"
	"io"
	"log/slog"
)

// NewLogger returns a logger that writes records of at least the given level to
// w, as JSON or as text. The error for an unknown format or level lists the
// choices.
func NewLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var threshold slog.Level
	if err := threshold.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level %q is not one of debug, info, warn, error", level)
	}
	options := &slog.HandlerOptions{Level: threshold, ReplaceAttr: readable}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), nil
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), nil
	default:
		return nil, fmt.Errorf("log format %q is not one of text, json", format)
	}
}

// readable writes durations such as "1.5s" in JSON as in text, instead of as a
// number of nanoseconds.
func readable(_ []string, attr slog.Attr) slog.Attr {
	if attr.Value.Kind() == slog.KindDuration {
		attr.Value = slog.StringValue(attr.Value.Duration().String())
	}
	return attr
}
