package verify

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain/verify/receipt"
)

// ControllerStatus is how a controller last described itself.
type ControllerStatus struct {
	KeyID       string
	Environment receipt.Environment
	Toolchain   Toolchain // that the key signs for
	Ready       bool
	ReasonCode  string // why it is not ready; empty if it is
	Reason      string
	SeenAt      time.Time
}

// Status checks the key and stores how the controller is, under an ID of its
// process. It returns the *Refusal that keeps it from being ready. Every other
// error says that it could not decide, and nothing is stored.
func (c *Controller) Status(ctx context.Context, id string) error {
	checked := c.Check(ctx)
	refusal, refused := errors.AsType[*Refusal](checked)
	if checked != nil && !refused {
		return checked
	}
	status := ControllerStatus{KeyID: c.key.ID, Environment: c.environment, Toolchain: Toolchain(c.toolchain), Ready: !refused, SeenAt: c.now()}
	if refused {
		status.ReasonCode, status.Reason = refusal.Code, refusal.Message
	}
	if err := c.store.Report(ctx, id, status); err != nil {
		return err
	}
	return checked
}
