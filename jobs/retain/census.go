package retain

import (
	"context"
	"log/slog"
	"time"

	"astrolabe/jobs"
)

const (
	censusEvery = 10 * time.Minute
	// censusGrace is how long a generation stays after it has expired, for
	// requests that are being answered from it.
	censusGrace = 10 * time.Minute
	// censusUnseen is how old rows must be that no generation shows: younger
	// ones may be about to be published.
	censusUnseen = time.Hour
	censusBatch  = 5000 // generations that one statement deletes
)

// censusArgs names the job in the queue.
type censusArgs struct{}

func (censusArgs) Kind() string { return "retain_census" }

// CensusStore is where old censuses are deleted.
type CensusStore interface {
	// ForgetGenerations deletes generations that expired before a time, at most
	// so many, and never the newest of a token.
	ForgetGenerations(ctx context.Context, before time.Time, most int) (forgotten int, err error)
	// ForgetSnapshot deletes one snapshot that was made before a time and that
	// no generation shows, with its rows. It is false when there is none.
	ForgetSnapshot(ctx context.Context, before time.Time) (forgotten bool, err error)
}

// Census deletes generations that have expired and the rows that no generation
// shows.
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
