package verification

import (
	"context"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/rest/frame"
)

// CapabilityBody is what capabilities say about verification.
type CapabilityBody struct {
	Available   bool             `json:"available"`
	ReasonCode  *string          `json:"reasonCode"`
	Reason      *string          `json:"reason"`
	Toolchain   *ToolchainBody   `json:"toolchain"`
	Environment *string          `json:"environment"`
	Measures    []verify.Measure `json:"measures"`
	Policy      string           `json:"policy"`
	Limits      LimitsBody       `json:"limits"`
}

// LimitsBody are the limits of verification jobs.
type LimitsBody struct {
	MaxUploadBytes      int64 `json:"maxUploadBytes"`
	UploadWindowSeconds int   `json:"uploadWindowSeconds"`
	ActiveJobs          int   `json:"activeJobs"`
	CreatesPerUTCDay    int   `json:"createsPerUtcDay"`
	QueuedJobs          int   `json:"queuedJobs"`
}

// Capability returns whether contracts can be verified now, and the limits.
func (h Handlers) Capability(ctx context.Context) (CapabilityBody, error) {
	a, err := h.VerificationJobs.Availability(ctx)
	if err != nil {
		return CapabilityBody{}, err
	}
	body := CapabilityBody{
		Available: a.Available, ReasonCode: frame.NullIfEmpty(a.ReasonCode), Policy: verify.PolicyID,
		Environment: frame.NullIfEmpty(a.Environment), Measures: append([]verify.Measure{}, a.Measures...),
		Limits: LimitsBody{
			MaxUploadBytes: verify.MaxUpload, UploadWindowSeconds: int(verify.UploadWindow / time.Second),
			ActiveJobs: 1, CreatesPerUTCDay: verify.MaxPerDay, QueuedJobs: verify.MaxQueue,
		},
	}
	if !a.Available {
		body.Reason = frame.NullIfEmpty(a.Reason)
	}
	if a.Toolchain != nil {
		body.Toolchain = new(ToolchainBody(*a.Toolchain))
	}
	return body, nil
}
