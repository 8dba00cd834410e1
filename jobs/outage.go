package jobs

import (
	"log/slog"

	"astrolabe/domain"
	"astrolabe/telemetry"
)

// NewOutage returns a log of failures that last, with the messages for their
// beginning and their end. The process reports an unreachable database itself.
func NewOutage(logger *slog.Logger, lost, back string) *telemetry.Outage {
	return &telemetry.Outage{Logger: logger, Lost: lost, Back: back, Reported: domain.DatabaseAway}
}
