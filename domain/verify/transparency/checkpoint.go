package transparency

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// Origin is the first line of every checkpoint. It tells a checkpoint from every
// other note, and from evidence, which is JSON.
const Origin = "astrolabe-verification-log"

// MaxCheckpoint is the largest checkpoint in bytes. Those of this service have
// about 300.
const MaxCheckpoint = 4 << 10

// Checkpoint is a state of the log.
type Checkpoint struct {
	Size     int64     // number of receipts
	Root     tlog.Hash // of the tree
	SignedAt time.Time // in UTC
	KeyID    string    // of the key that signed it
	Note     string    // the signed text
	KeyEnded bool      // the key was retired or revoked since, or is not registered; only GrowingStore sets it
}

// timeForm is the form of the time of a checkpoint.
const timeForm = "2006-01-02T15:04:05.999999999Z"

// text returns what is signed: the origin, the size, the root and the time, each
// on a line.
func (c *Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n%s\n", Origin, c.Size, c.Root, c.SignedAt.UTC().Format(timeForm))
}

// ParseCheckpoint reads a checkpoint without checking its signature. The error is
// MalformedCheckpoint unless it has exactly one signature and the only spelling of
// what it says.
func ParseCheckpoint(signed string) (*Checkpoint, error) {
	if len(signed) > MaxCheckpoint {
		return nil, refuse(MalformedCheckpoint, "The checkpoint is larger than %d bytes.", MaxCheckpoint)
	}
	_, err := note.Open([]byte(signed), nil)
	unverified, ok := errors.AsType[*note.UnverifiedNoteError](err)
	if !ok || len(unverified.Note.UnverifiedSigs) != 1 {
		return nil, refuse(MalformedCheckpoint, "The checkpoint must be a note with one signature.")
	}
	signature := unverified.Note.UnverifiedSigs[0]
	if _, err := base64.StdEncoding.Strict().DecodeString(signature.Base64); err != nil {
		return nil, refuse(MalformedCheckpoint, "The signature of the checkpoint must be in base64.")
	}
	c, err := parseText(unverified.Note.Text)
	if err != nil {
		return nil, err
	}
	c.KeyID, c.Note = signature.Name, signed
	if written := c.text() + "\n— " + signature.Name + " " + signature.Base64 + "\n"; written != signed {
		return nil, refuse(MalformedCheckpoint, "The checkpoint must have the four lines %s, size, root and time in canonical form.", Origin)
	}
	return c, nil
}

// parseText reads the signed lines. ParseCheckpoint checks their spelling.
func parseText(text string) (*Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 5 || lines[0] != Origin {
		return nil, refuse(MalformedCheckpoint, "The checkpoint must have four lines, and the first one must be %s, got %s.", Origin, domain.Quote(lines[0]))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 1 {
		return nil, refuse(MalformedCheckpoint, "The size of the checkpoint must be an integer of at least 1, got %s.", domain.Quote(lines[1]))
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		return nil, refuse(MalformedCheckpoint, "The root of the checkpoint must be a SHA-256 in base64, got %s.", domain.Quote(lines[2]))
	}
	at, err := time.Parse(timeForm, lines[3])
	if err != nil {
		return nil, refuse(MalformedCheckpoint, "The time of the checkpoint must be an RFC 3339 time in UTC that ends with Z, got %s.", domain.Quote(lines[3]))
	}
	return &Checkpoint{Size: size, Root: root, SignedAt: at}, nil
}

// VerifyCheckpoint returns a checkpoint that a key of the trust root signed. The
// rules apply to the key, except those on toolchains, because a log has the
// receipts of all.
func VerifyCheckpoint(signed string, root *receipt.TrustRoot, rules receipt.Rules) (*Checkpoint, error) {
	c, key, err := verifySignature(signed, root)
	if err != nil {
		return nil, err
	}
	rules.ToolchainDigest = ""
	if err := key.Accepts("checkpoint", c.SignedAt, rules); err != nil {
		return nil, err
	}
	return c, nil
}

// verifySignature returns a checkpoint and the key that signed it, whether or not
// that is still to be trusted.
func verifySignature(signed string, root *receipt.TrustRoot) (*Checkpoint, *receipt.Key, error) {
	c, err := ParseCheckpoint(signed)
	if err != nil {
		return nil, nil, err
	}
	key, err := root.Key(c.KeyID)
	if err != nil {
		return nil, nil, err
	}
	verifier, err := verifierOf(key)
	if err != nil {
		return nil, nil, err
	}
	if _, err := note.Open([]byte(signed), note.VerifierList(verifier)); err != nil {
		return nil, nil, refuse(receipt.InvalidSignature, "The key %s did not sign this checkpoint: the checkpoint or the public key was changed.", domain.Quote(key.ID))
	}
	return c, key, nil
}

// verifierOf returns the verifier of notes that a key signed.
func verifierOf(key *receipt.Key) (note.Verifier, error) {
	encoded, err := note.NewEd25519VerifierKey(key.ID, key.PublicKey)
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(encoded)
}
