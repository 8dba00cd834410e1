package jobs

import (
	"log/slog"

	"github.com/riverqueue/river"

	"astrolabe/telemetry"
)

// Job is an entry of a Schedule: a Periodic with any arguments.
type Job interface{ addTo(s *Schedule) }

// Schedule holds the workers and periodic jobs of a queue.
type Schedule struct {
	Workers  *river.Workers
	Periodic []*river.PeriodicJob
	Queues   []string // dedicated queues of single jobs

	logger  *slog.Logger
	metrics *telemetry.Metrics
}

// NewSchedule returns a schedule of jobs. It panics if two have the same name.
func NewSchedule(logger *slog.Logger, metrics *telemetry.Metrics, jobs ...Job) *Schedule {
	s := &Schedule{Workers: river.NewWorkers(), logger: logger, metrics: metrics}
	for _, job := range jobs {
		job.addTo(s)
	}
	return s
}
