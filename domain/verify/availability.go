package verify

import (
	"context"
	"time"

	"astrolabe/domain"
)

// BuilderSilence is the time after which a builder that was not seen is no
// longer expected to build, nor a controller to sign.
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

// The reason codes of this package. Builders and controllers give others.
const (
	ReasonNoBuilder    = "no_builder"      // no process offers to build
	ReasonNoController = "no_controller"   // no process offers to compare and to sign
	ReasonOtherKey     = "wrong_toolchain" // no controller signs for the builder's toolchain
)

// Availability returns whether a builder is ready, and a controller whose key
// signs for the builder's toolchain. If there is none, the newest one gives the
// reason.
func (j *Jobs) Availability(ctx context.Context) (Availability, error) {
	since := j.now().Add(-BuilderSilence)
	builders, err := j.store.Builders(ctx, since)
	if err != nil {
		return Availability{}, err
	}
	controllers, err := j.store.Controllers(ctx, since)
	if err != nil {
		return Availability{}, err
	}
	return availability(builders, controllers), nil
}

func availability(builders []Builder, controllers []ControllerStatus) Availability {
	if len(builders) == 0 {
		return Availability{ReasonCode: ReasonNoBuilder, Reason: "No process of this deployment builds contracts."}
	}
	first := builders[0]
	a := Availability{Available: first.Ready, ReasonCode: first.ReasonCode, Reason: first.Reason, Measures: first.Measures}
	if first.Toolchain != (Toolchain{}) {
		a.Toolchain = &first.Toolchain
	}
	refuse := func(code, reason string) {
		if a.Available {
			a.Available, a.ReasonCode, a.Reason = false, code, reason
		}
	}
	if len(controllers) == 0 {
		refuse(ReasonNoController, "No process of this deployment signs receipts.")
		return a
	}
	for _, c := range controllers { // the ready ones first
		if c.Ready && c.Toolchain == first.Toolchain {
			a.Environment = string(c.Environment)
			return a
		}
	}
	if newest := controllers[0]; newest.Ready {
		refuse(ReasonOtherKey, "No process of this deployment signs receipts for the toolchain of the builder.")
	} else {
		refuse(newest.ReasonCode, newest.Reason)
	}
	return a
}

// available returns verification_unavailable unless a builder and a controller are
// ready.
func (j *Jobs) available(ctx context.Context) error {
	a, err := j.Availability(ctx)
	if err != nil || a.Available {
		return err
	}
	refused := domain.Errorf(domain.CodeVerificationUnavailable, "Contracts cannot be verified now (%s). %s", a.ReasonCode, a.Reason)
	refused.RetryAfter = BuilderSilence
	return refused
}
