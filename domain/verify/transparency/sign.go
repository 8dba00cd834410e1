package transparency

import (
	"crypto/ed25519"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// Signer signs checkpoints with the private key of an entry of the trust root.
type Signer struct {
	Key     receipt.Key
	Private ed25519.PrivateKey
}

// Sign signs a state of the log. It returns an error instead of a checkpoint that
// VerifyCheckpoint would refuse.
func (s Signer) Sign(size int64, root tlog.Hash, at time.Time) (*Checkpoint, error) {
	if len(s.Private) != ed25519.PrivateKeySize {
		return nil, refuse(receipt.InvalidSignature, "The private key of %s must have %d bytes, got %d.", domain.Quote(s.Key.ID), ed25519.PrivateKeySize, len(s.Private))
	}
	verifier, err := verifierOf(&s.Key)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{Size: size, Root: root, SignedAt: at.UTC()}
	signed, err := note.Sign(&note.Note{Text: c.text()}, noteSigner{verifier, s.Private})
	if err != nil {
		return nil, err
	}
	return VerifyCheckpoint(string(signed), &receipt.TrustRoot{Keys: []receipt.Key{s.Key}}, receipt.Rules{AllowDemo: true})
}

// noteSigner implements note.Signer with the key of receipts.
type noteSigner struct {
	note.Verifier // has the name and the hash of the key
	private       ed25519.PrivateKey
}

// Sign implements note.Signer.
func (s noteSigner) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.private, text), nil }
