package verify

import (
	"context"
	"time"

	"astrolabe/domain"
)

// BuilderSilence is the time after which a builder that was not seen is no
// longer expected to build.
const BuilderSilence = time.Minute

// Builder is a process that builds contracts, as it last described itself.
type Builder struct {
	ID         string
	Toolchain  Toolchain // zero if it has none
	Ready      bool
	ReasonCode string // why it is not ready; empty if it is
	Reason     string
	Measures   []Measure // what its sandbox enforces
	SeenAt     time.Time
}

// Measure is something that a sandbox enforces: that a build has no network, or
// a limit of its memory.
type Measure struct {
	Name string `json:"name"`
	By   string `json:"by"` // what enforces it, such as cgroup
}

// Availability says whether contracts can be verified now.
type Availability struct {
	Available   bool
	ReasonCode  string     // why they cannot; empty if they can
	Reason      string     // the reason as a sentence
	Toolchain   *Toolchain // nil while no builder has one
	Environment string     // of the key that signs receipts: production or demo; empty while that is unknown
	Measures    []Measure  // of the builder's sandbox
}

// ReasonNoBuilder is the reason code while no process offers to build.
const ReasonNoBuilder = "no_builder"

// Availability returns whether a builder is ready. If there is none, the newest
// one gives the reason.
func (j *Jobs) Availability(ctx context.Context) (Availability, error) {
	builders, err := j.store.Builders(ctx, j.now().Add(-BuilderSilence))
	if err != nil {
		return Availability{}, err
	}
	if len(builders) == 0 {
		return Availability{ReasonCode: ReasonNoBuilder, Reason: "No process of this deployment builds contracts."}, nil
	}
	first := builders[0]
	a := Availability{Available: first.Ready, ReasonCode: first.ReasonCode, Reason: first.Reason, Measures: first.Measures}
	if first.Toolchain != (Toolchain{}) {
		a.Toolchain = &first.Toolchain
	}
	return a, nil
}

// available returns verification_unavailable unless a builder is ready.
func (j *Jobs) available(ctx context.Context) error {
	a, err := j.Availability(ctx)
	if err != nil || a.Available {
		return err
	}
	refused := domain.Errorf(domain.CodeVerificationUnavailable, "Contracts cannot be verified now (%s). %s", a.ReasonCode, a.Reason)
	refused.RetryAfter = BuilderSilence
	return refused
}
