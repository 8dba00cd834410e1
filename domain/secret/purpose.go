package secret

import (
	"slices"
	"time"

	"astrolabe/domain"
)

// Purpose is the use of a key. A key of one purpose is never used for another.
type Purpose string

// The purposes.
const (
	Cursor  Purpose = "cursor"
	Pepper  Purpose = "pepper"
	Session Purpose = "session"
	Receipt Purpose = "receipt"
	Prove   Purpose = "prove"
)

// Purposes lists all purposes.
var Purposes = []Purpose{Cursor, Pepper, Session, Receipt, Prove}

// ParsePurpose reads a purpose's exact name.
func ParsePurpose(text string) (Purpose, error) {
	if p := Purpose(text); slices.Contains(Purposes, p) {
		return p, nil
	}
	return "", domain.Errorf(domain.CodeInvalidRequest, "secret must be one of %v.", Purposes)
}

// expires reports whether an old generation may be forgotten after an
// overlap. API key hashes name their pepper and published receipts their
// signing key for as long as they exist, and digests of submissions to the prover
// are looked up under every key, so those are kept.
func (p Purpose) expires() bool { return p == Cursor || p == Session }

// Key is one generation of one purpose, unsealed.
type Key struct {
	Purpose    Purpose
	Generation uint32
	Material   Material
	CreatedAt  time.Time
	// HonouredUntil ends the overlap of a generation that was rotated out;
	// zero means that it has no end.
	HonouredUntil time.Time
}
