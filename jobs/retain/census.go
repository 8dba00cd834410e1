package retain

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

const (
	censusEvery = 10 * time.Minute
	// censusGrace is how long a generation is kept after it expires, for
	// requests in progress.
	censusGrace = 10 * time.Minute
	// censusUnseen is the minimum age of rows without a generation before they
	// are deleted: younger ones may be about to be published.
	censusUnseen = time.Hour
	censusBatch  = 5000 // generations per statement
)

// censusArgs names the job in the queue.
type censusArgs struct{}

func (censusArgs) Kind() string { return "retain_census" }

// CensusStore deletes old censuses.
type CensusStore interface {
	// ForgetGenerations deletes at most most generations that expired before a
	// time, but never the newest of a token.
	ForgetGenerations(ctx context.Context, before time.Time, most int) (forgotten int, err error)
	// ForgetSnapshot deletes one snapshot, with its rows, that was created
	// before a time and has no generation. It returns false if there is none.
	ForgetSnapshot(ctx context.Context, before time.Time) (forgotten bool, err error)
}

// Census deletes expired generations and rows without a generation.
type Census struct {
	Store  CensusStore
	Logger *slog.Logger
}

// Job schedules the pass.
func (w *Census) Job() jobs.Job {
	return jobs.Periodic[censusArgs]{Every: censusEvery, OncePerPeriod: true, Attempts: attempts, Timeout: censusEvery, Run: w.Run}
}

// Run makes one pass.
func (w *Census) Run(ctx context.Context, now time.Time) error {
	generations, snapshots, err := w.pass(ctx, now)
	if generations+snapshots > 0 {
		w.Logger.Info("deleted expired holder censuses", "generations", generations, "snapshots", snapshots)
	}
	return err
}

func (w *Census) pass(ctx context.Context, now time.Time) (generations, snapshots int, err error) {
	for {
		forgotten, err := w.Store.ForgetGenerations(ctx, now.Add(-censusGrace), censusBatch)
		generations += forgotten
		if err != nil {
			return generations, snapshots, err
		}
		if forgotten < censusBatch {
			break
		}
	}
	for {
		forgotten, err := w.Store.ForgetSnapshot(ctx, now.Add(-censusUnseen))
		if err != nil || !forgotten {
			return generations, snapshots, err
		}
		snapshots++
	}
}
