package verification

import (
	"context"

	"astrolabe/domain/verify"
	"astrolabe/graph/scalar"
)

// Availability is whether contracts can be verified now, and with what.
type Availability struct {
	Available   bool
	ReasonCode  *string
	Reason      *string
	Toolchain   *verify.Toolchain
	Environment *scalar.Enum
	Measures    []verify.Measure
}

// VerificationAvailability returns whether contracts can be verified now.
func (q Queries) VerificationAvailability(ctx context.Context) (*Availability, error) {
	a, err := q.Resolver.VerificationJobs.Availability(ctx)
	if err != nil {
		return nil, err
	}
	result := &Availability{Available: a.Available, Toolchain: a.Toolchain, Measures: append([]verify.Measure{}, a.Measures...)}
	if !a.Available {
		result.ReasonCode, result.Reason = &a.ReasonCode, &a.Reason
	}
	if a.Environment != "" {
		result.Environment = new(scalar.Enum(a.Environment))
	}
	return result, nil
}
