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
	Toolchain   Toolchain
	Environment string // of the key that signs its receipts: production or demo
	Ready       bool
	ReasonCode  string // why it is not ready; empty if it is
	Reason      string
	SeenAt      time.Time
}

// Availability says whether contracts can be verified now.
type Availability struct {
	Available   bool
	ReasonCode  string     // why they cannot; empty if they can
	Reason      string     // the reason as a sentence
	Toolchain   *Toolchain // nil while no builder is running
	Environment string     // empty while no builder is running
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
	return Availability{first.Ready, first.ReasonCode, first.Reason, &first.Toolchain, first.Environment}, nil
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
