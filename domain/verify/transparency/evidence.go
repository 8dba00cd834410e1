package transparency

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/starknet"
)

// Evidence has everything that is stored about admitted receipts.
type Evidence interface {
	// Keys returns all signing keys.
	Keys(ctx context.Context) ([]receipt.Key, error)
	// Receipts returns the next receipts after an id, in order.
	Receipts(ctx context.Context, after int64, most int) ([]StoredReceipt, error)
	// WithoutReceipts returns the rows that exist only with a receipt, but have none.
	WithoutReceipts(ctx context.Context, most int) ([]Fault, error)
	// LogHashes returns the next hashes from an index on, in order.
	LogHashes(ctx context.Context, from int64, most int) ([]StoredHash, error)
	// Checkpoints returns the next checkpoints after a size, in order.
	Checkpoints(ctx context.Context, after int64, most int) ([]StoredCheckpoint, error)
}

// StoredReceipt is a receipt with the rows that must agree with it.
type StoredReceipt struct {
	ID            int64
	Job           string
	Chain         domain.Chain
	Class         starknet.Felt
	KeyID         string
	Digest        string
	IssuedAt      time.Time
	Body          string
	Succeeded     bool // so say its job and the last row of the job's history
	JobReceiptID  *int64
	JobChain      domain.Chain
	UploadDigest  string            // of the job's package
	SelectedClass string            // of the job's package
	Toolchain     receipt.Toolchain // of the job's build
	Recorded      bool              // there is a public record
	RecordHolds   bool              // it says the same
	Waiting       bool              // for the log
	// Declaration is what the index has of the class; nil if it is not indexed.
	Declaration *StoredDeclaration
}

// StoredDeclaration is the declaration of a class in the index.
type StoredDeclaration struct {
	Block       int64
	BlockHash   starknet.Felt
	Transaction *starknet.Felt // nil if unknown
	Compiled    *starknet.Felt // nil if unknown
}

// StoredHash is a hash of the log.
type StoredHash struct {
	Index int64
	Hash  []byte
}

// StoredCheckpoint is a row of a checkpoint.
type StoredCheckpoint struct {
	Size     int64
	Root     []byte
	Note     string
	SignedAt time.Time
}

// Fault is a contradiction between stored rows.
type Fault struct {
	Check  string // the name of the check that found it
	Detail string // what is wrong, in one line
	// Repair is SQL that fixes it; empty if nothing but a backup can.
	Repair string
}
