package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/domain/verify/transparency"
	"astrolabe/starknet"
)

// Controller decides whether a built class is the declared one, and admits the
// receipt if it is. It trusts nothing that the build says about the class: it
// computes the class hash itself. It is safe for concurrent use, and any number
// of controllers may run.
type Controller struct {
	store       ControllerStore
	key         signing.Key
	environment receipt.Environment
	toolchain   receipt.Toolchain
	now         func() time.Time
	moved       func(State) // called after each transition
}

// NewController makes the service, which signs with a key for one environment
// and one toolchain.
func NewController(store ControllerStore, key signing.Key, environment receipt.Environment, toolchain Toolchain, now func() time.Time) *Controller {
	return &Controller{store: store, key: key, environment: environment, toolchain: receipt.Toolchain(toolchain), now: now, moved: func(State) {}}
}

// Signer returns what signs the checkpoints of the transparency log, or the error
// of Check.
func (c *Controller) Signer(ctx context.Context) (transparency.Signer, error) {
	key, err := c.check(ctx)
	if err != nil {
		return transparency.Signer{}, err
	}
	return transparency.Signer{Key: *key, Private: c.key.Private}, nil
}

// OnTransition sets what is called after each transition of a job to a state. It is set
// before the service is used.
func (c *Controller) OnTransition(moved func(State)) { c.moved = moved }

// ControllerStore stores receipts and the outcome of comparisons.
type ControllerStore interface {
	KeyRegister
	// Comparing returns the IDs of at most most jobs that are comparing, oldest
	// first.
	Comparing(ctx context.Context, most int) ([]string, error)
	// Candidate returns what was built for a job, nil if the job is not comparing.
	Candidate(ctx context.Context, id string) (*Candidate, error)
	// Decide locks a job that is comparing, lets decide look at what it depends on,
	// and writes the verdict, all in one transaction: the receipt with its place
	// in the outbox and its public record, and the state of the job with its history. It
	// returns false and does not call decide if the job is not comparing: it was
	// cancelled, or another controller was faster. It also returns false if decide
	// returns nil, which leaves the job as it is. Receipts are numbered from 1
	// without gaps, and Decide calls wait for each other.
	Decide(ctx context.Context, id, keyID string, decide func(*Admission) *Verdict) (bool, error)
	// Genesis returns the hash of block 0 of the indexed chain, nil while it is
	// unknown.
	Genesis(ctx context.Context, c domain.Chain) (*starknet.Felt, error)
	// Report stores how a controller is.
	Report(ctx context.Context, id string, status ControllerStatus) error
}

// Candidate is what was built for a job.
type Candidate struct {
	JobID     string
	Chain     domain.Chain
	Package   Package
	Toolchain Toolchain // that the builder says it used
	Class     []byte    // the Sierra class as JSON; nil if it is missing
}

// Admission is what a verdict depends on, as it is while the job is locked.
type Admission struct {
	Now         time.Time      // by the clock of the database
	UpdatedAt   time.Time      // of the job, as the builder wrote it
	History     []Transition   // of the job
	ReceiptID   uint64         // of the next receipt
	Key         *receipt.Key   // nil if it is not registered
	Genesis     *starknet.Felt // of the job's chain; nil while unknown
	Declaration *Declaration   // of the selected class; nil if no indexed block has it
}

// Declaration is where a class was declared.
type Declaration struct {
	Block    domain.BlockRef
	Final    bool           // the block is in the finalized tier
	TxHash   *starknet.Felt // nil when no transaction of the block names the class
	Compiled *starknet.Felt // as declared, and not as it was migrated to later; nil for a Cairo 0 class
}

// Verdict is the outcome of a comparison.
type Verdict struct {
	State    State // Succeeded, Mismatch or Failed
	At       time.Time
	Failure  *Failure         // unless the state is Succeeded
	Produced *starknet.Felt   // the class hash that was built; nil if there is none
	Receipt  *receipt.Receipt // if the state is Succeeded
}

// mostComparing is how many jobs a pass takes. There are never more than MaxQueue.
const mostComparing = 2 * MaxQueue

// Pass decides on every job that is comparing and that this controller may decide
// on. A job that cannot be decided now stays, and does not keep the others from
// being decided. A controller that is not ready takes none, and returns the
// *Refusal of Check.
func (c *Controller) Pass(ctx context.Context) (decided int, err error) {
	if err := c.Check(ctx); err != nil {
		return 0, err
	}
	ids, err := c.store.Comparing(ctx, mostComparing)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, id := range ids {
		done, err := c.Compare(ctx, id)
		if err != nil {
			failures = append(failures, fmt.Errorf("compare %s: %w", id, err))
		}
		if done {
			decided++
		}
		if ctx.Err() != nil {
			break
		}
	}
	return decided, errors.Join(failures...)
}

// Compare decides on a job and reports whether it did. A job that is not comparing
// is left as it is, and one that was built with another toolchain is left for the
// controller whose key signs for that. An error says that it could not decide: a
// *Refusal if the key must not sign, so that another controller can decide.
func (c *Controller) Compare(ctx context.Context, id string) (bool, error) {
	candidate, err := c.store.Candidate(ctx, id)
	if err != nil || candidate == nil {
		return false, err
	}
	if built := receipt.Toolchain(candidate.Toolchain); built != c.toolchain && built != (receipt.Toolchain{}) { // no controller signs for none
		return false, nil
	}
	decide := c.examine(candidate)
	var verdict *Verdict
	var refusal *Refusal
	done, err := c.store.Decide(ctx, id, c.key.ID, func(a *Admission) *Verdict {
		if refusal = c.refuses(candidate.Chain, a); refusal != nil {
			return nil
		}
		a.Now = domain.Milliseconds(earlier(c.now(), a.Now))
		verdict = decide(a)
		verdict.At = later(a.Now, a.UpdatedAt)
		return verdict
	})
	switch {
	case err != nil:
		return false, err
	case refusal != nil:
		return false, refusal
	case !done:
		return false, nil
	}
	c.moved(verdict.State)
	return true, nil
}
