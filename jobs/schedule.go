package jobs

import (
	"log/slog"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
)

// Job is what a Schedule takes: a Periodic of any arguments.
type Job interface{ addTo(s *Schedule) }

// Schedule holds the workers and periodic jobs of a queue.
type Schedule struct {
	Workers  *river.Workers
	Periodic []*river.PeriodicJob
	Queues   []string // those that jobs have to themselves

	logger  *slog.Logger
	metrics *telemetry.Metrics
}

// NewSchedule collects jobs. It panics when two have the same name.
func NewSchedule(logger *slog.Logger, metrics *telemetry.Metrics, jobs ...Job) *Schedule {
	s := &Schedule{Workers: river.NewWorkers(), logger: logger, metrics: metrics}
	for _, job := range jobs {
		job.addTo(s)
	}
	return s
}
