package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
)

// private is the key of a fixed seed.
func private(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

var toolchain = receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}

// entry is the trust root's entry for private(seed).
func entry(id string, seed byte) receipt.Key {
	return receipt.Key{
		ID: id, PublicKey: private(seed).Public().(ed25519.PublicKey), Environment: receipt.Production, Toolchain: toolchain,
		NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// evidence is what the fixed receipt says.
func evidence() receipt.Evidence {
	return receipt.Evidence{
		JobID: "vrf_" + strings.Repeat("ab12", 6) + "cd", ChainID: domain.Mainnet, ClassHash: "0x1f2e3d4c5b6a", ReceiptID: 100,
		SourceArchiveDigest: "sha256:" + strings.Repeat("01", 32), CandidateDigest: "sha256:" + strings.Repeat("fe", 32),
		Declaration: receipt.Declaration{BlockNumber: 654321, BlockHash: "0xb10c", TransactionHash: "0x7a", CompiledClassHash: "0xca5"},
		IssuedAt:    "2026-11-16T12:30:00Z",
	}
}

// signed returns the fixed receipt, signed by private(1).
func signed(t *testing.T, key receipt.Key) *receipt.Receipt {
	t.Helper()
	r, err := receipt.Sign(evidence(), key.Environment, key.Toolchain, key, private(1))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// text returns compact JSON, in which every byte has a meaning.
func text(t *testing.T, document any) []byte {
	t.Helper()
	written, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// expectReason checks that an error is a refusal for a reason, in a sentence.
func expectReason(t *testing.T, what string, err error, want receipt.Reason) {
	t.Helper()
	refused, ok := errors.AsType[*receipt.Error](err)
	if !ok || refused.Reason != want {
		t.Errorf("%s: got %v, want the reason %s", what, err, want)
		return
	}
	if !strings.HasSuffix(refused.Message, ".") || refused.Message[0] == '"' {
		t.Errorf("%s: got the message %s, want a sentence", what, refused.Message)
	}
}
