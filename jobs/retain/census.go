package retain

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
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

// CensusArgs asks for one pass over the holder censuses.
type CensusArgs struct{}

// Kind names the job in the queue.
func (CensusArgs) Kind() string { return "retain_census" }

// InsertOpts lets one pass at a time stand in the queue, however many
// processes schedule it.
func (CensusArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByPeriod: censusEvery}}
}

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
	river.WorkerDefaults[CensusArgs]

	Store   CensusStore
	Logger  *slog.Logger
	Metrics *telemetry.Metrics
}

// Timeout lets a pass delete many rows.
func (w *Census) Timeout(*river.Job[CensusArgs]) time.Duration { return censusEvery }

// Work runs one pass.
func (w *Census) Work(ctx context.Context, _ *river.Job[CensusArgs]) error {
	started := time.Now()
	generations, snapshots, err := w.pass(ctx, started)
	w.Metrics.Job(CensusArgs{}.Kind(), err, time.Since(started))
	if generations+snapshots > 0 {
		w.Logger.Info("old holder censuses were deleted", "generations", generations, "snapshots", snapshots)
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

// EveryCensus schedules the pass every ten minutes, and once at start.
func EveryCensus() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(censusEvery),
		func() (river.JobArgs, *river.InsertOpts) { return CensusArgs{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
