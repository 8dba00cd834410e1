package verify

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/jobs"
)

const (
	upkeepEvery = 30 * time.Second
	upkeepTime  = 5 * time.Minute
)

// upkeepArgs names the job in the queue.
type upkeepArgs struct{}

func (upkeepArgs) Kind() string { return "verify_upkeep" }

// Upkeep expires jobs, deletes sources whose retention has ended, and queues
// validations again that a killed process has left.
type Upkeep struct {
	Jobs   *verify.Jobs
	Logger *slog.Logger
}

// Job schedules the pass.
func (w *Upkeep) Job() jobs.Job {
	return jobs.Periodic[upkeepArgs]{Every: upkeepEvery, Timeout: upkeepTime, Run: w.Run}
}

// Run makes one pass.
func (w *Upkeep) Run(ctx context.Context, _ time.Time) error {
	done, err := w.Jobs.KeepUp(ctx)
	if expired, deleted, repeated := done[verify.ExpireUpload], done[verify.DeleteSource], done[verify.RepeatValidation]; expired+deleted+repeated > 0 {
		w.Logger.Info("kept up verification jobs", "expired", expired, "sourcesDeleted", deleted, "validationsRepeated", repeated)
	}
	return err
}
