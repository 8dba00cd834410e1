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

// Upkeep expires jobs, deletes sources whose retention has ended, queues
// validations again that a killed process has left, and fails builds that no
// builder continues and comparisons that no controller makes.
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
	expired, deleted, repeated, builds, comparisons := done[verify.ExpireUpload], done[verify.DeleteSource], done[verify.RepeatValidation], done[verify.AbandonBuild], done[verify.AbandonCompare]
	if expired+deleted+repeated+builds+comparisons > 0 {
		w.Logger.Info("cleaned up verification jobs", "expired", expired, "sourcesDeleted", deleted, "validationsRepeated", repeated, "buildsAbandoned", builds, "comparisonsAbandoned", comparisons)
	}
	return err
}
