package model

import (
	"time"

	"github.com/uptrace/bun"
)

// VerificationLogHash is a stored hash of the transparency log.
type VerificationLogHash struct {
	bun.BaseModel `bun:"table:verification_log_hashes,alias:lh"`

	Index int64  `bun:"index,pk"` // of tlog, from 0
	Hash  []byte `bun:"hash"`
}

// VerificationLogCheckpoint is a signed state of the transparency log.
type VerificationLogCheckpoint struct {
	bun.BaseModel `bun:"table:verification_log_checkpoints,alias:lc"`

	Size     int64     `bun:"size,pk"`
	Root     []byte    `bun:"root"`
	Note     string    `bun:"note"` // the signed text
	SignedAt time.Time `bun:"signed_at"`
}
