package transparency_test

import (
	"testing"
	"time"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

func TestTheRulesOfAKeyDecideOnItsCheckpoints(t *testing.T) {
	t.Parallel()
	m, _ := logOf(t, signerOf("k", 1), 3)
	signed := must(m.Checkpoint(t.Context(), 0)).Note
	for _, c := range []struct {
		what   string
		change func(*receipt.Key)
		rules  receipt.Rules
		want   receipt.Reason // empty if accepted
	}{
		{what: "no expiry", change: func(*receipt.Key) {}},
		{what: "revoked before", change: func(k *receipt.Key) { k.RevokedAt = new(noon.Add(-time.Hour)) }, want: receipt.KeyRevoked},
		{what: "revoked later", change: func(k *receipt.Key) { k.RevokedAt = new(noon.Add(time.Hour)) }, want: receipt.KeyRevoked},
		{what: "demo", change: func(k *receipt.Key) { k.Environment = receipt.Demo }, want: receipt.DemoKey},
		{what: "demo allowed", change: func(k *receipt.Key) { k.Environment = receipt.Demo }, rules: receipt.Rules{AllowDemo: true}},
		{what: "signed at notAfter", change: func(k *receipt.Key) { k.NotAfter = new(noon) }},
		{what: "signed after notAfter", change: func(k *receipt.Key) { k.NotAfter = new(noon.Add(-1)) }, want: receipt.KeyExpired},
		{what: "signed before notBefore", change: func(k *receipt.Key) { k.NotBefore = noon.Add(1) }, want: receipt.KeyNotYetValid},
		{what: "another id", change: func(k *receipt.Key) { k.ID = "K" }, want: receipt.UnknownKey},
		{what: "another public key", change: func(k *receipt.Key) { k.PublicKey = signerOf("k", 3).Key.PublicKey }, want: receipt.InvalidSignature},
		{what: "another toolchain, which is allowed in a log", change: func(*receipt.Key) {}, rules: receipt.Rules{ToolchainDigest: "sha256:00"}},
	} {
		signer := signerOf("k", 1)
		c.change(&signer.Key)
		got, err := transparency.VerifyCheckpoint(signed, rootOf(signerOf("other", 2), signer), c.rules)
		if c.want != "" {
			expectReason(t, c.what, err, c.want)
		} else if err != nil || got.Size != 3 || got.KeyID != "k" || !got.SignedAt.Equal(noon) {
			t.Errorf("%s: got %v and %v, want the checkpoint accepted", c.what, got, err)
		}
	}
}

func TestARevokedKeyCannotSignACheckpoint(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	signer.Key.RevokedAt = &noon
	_, err := signer.Sign(1, [32]byte{}, noon)
	expectReason(t, "a revoked key", err, receipt.KeyRevoked)
	signer = signerOf("k", 1)
	signer.Private = signerOf("k", 2).Private
	_, err = signer.Sign(1, [32]byte{}, noon)
	expectReason(t, "another private key", err, receipt.InvalidSignature)
}

// After a key was revoked, its checkpoints are worthless, but the reader still
// knows what it saw: a consistent log of the next key is accepted.
func TestALogStaysTrustedWhenItsKeyIsReplaced(t *testing.T) {
	t.Parallel()
	old, next := signerOf("old", 1), signerOf("next", 2)
	m, _ := logOf(t, old, 5)
	newest := must(m.Checkpoint(t.Context(), 0))
	earlier := newest.Note
	if growth := m.grow(t, next); growth != nil {
		t.Errorf("got %v, want nothing to store while the key of the newest checkpoint has not ended", growth)
	}
	newest.KeyEnded = true
	if growth := m.grow(t, next); growth == nil || growth.Added != 0 || growth.Checkpoint.KeyID != "next" || growth.Checkpoint.Size != 5 {
		t.Fatalf("got %v, want the same size signed by the next key", growth)
	}
	if growth := m.grow(t, next); growth != nil {
		t.Errorf("got %v, want nothing to store", growth)
	}
	old.Key.RevokedAt = new(noon.Add(time.Hour))
	proof := text(t, must(transparency.NewLog(m).Consistency(t.Context(), 5, 0)))
	if _, err := transparency.VerifyConsistency(earlier, proof, rootOf(old, next), receipt.Rules{}); err != nil {
		t.Errorf("got %v, want the log accepted", err)
	}
	_, err := transparency.VerifyCheckpoint(earlier, rootOf(old, next), receipt.Rules{})
	expectReason(t, "the checkpoint of the revoked key", err, receipt.KeyRevoked)
}

func TestADamagedLogIsNeverSigned(t *testing.T) {
	t.Parallel()
	signer := signerOf("k", 1)
	m, _ := logOf(t, signer, 5)
	newest := must(m.Checkpoint(t.Context(), 0))
	next := []transparency.Pending{{ReceiptID: 6, Digest: "sha256:06"}}
	if growth, err := transparency.Grow(newest, []transparency.Pending{{ReceiptID: 7, Digest: "sha256:07"}}, m, signer, noon); err == nil {
		t.Errorf("got %v, want an error, because receipt 6 is missing", growth)
	}
	if growth, err := transparency.Grow(newest, []transparency.Pending{{ReceiptID: 5}}, m, signer, noon); growth != nil || err != nil {
		t.Errorf("got %v and %v, want nothing to add, because the log has receipt 5", growth, err)
	}
	m.hashes[len(m.hashes)-1][0] ^= 1
	if growth, err := transparency.Grow(newest, next, m, signer, noon); err == nil {
		t.Errorf("got %v, want an error, because the last leaf was changed", growth)
	}
}
