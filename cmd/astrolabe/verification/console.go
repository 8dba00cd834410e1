package verification

import (
	"io"
	"log/slog"
)

// Console is what the commands write to.
type Console struct {
	Stdout io.Writer
	Logger *slog.Logger
	// Progress shows a line at the bottom of the terminal, and removes it if the
	// text is empty. It is nil if the log does not go to a terminal.
	Progress func(text string)
}
