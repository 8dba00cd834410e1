package transparency_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
	"astrolabe/strictjson"
)

var (
	toolchain = receipt.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}
	noon      = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
)

// signerOf is the key of a fixed seed, with its entry of the trust root.
func signerOf(id string, seed byte) transparency.Signer {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return transparency.Signer{Private: private, Key: receipt.Key{
		ID: id, PublicKey: private.Public().(ed25519.PublicKey), Environment: receipt.Production, Toolchain: toolchain, NotBefore: noon.AddDate(0, -1, 0),
	}}
}

// receiptOf returns a signed receipt.
func receiptOf(t *testing.T, id int64, signer transparency.Signer) *receipt.Receipt {
	t.Helper()
	r, err := receipt.Sign(receipt.Evidence{
		JobID: fmt.Sprintf("vrf_%026d", id), ChainID: domain.Mainnet, ClassHash: fmt.Sprintf("0x%x", id), ReceiptID: strictjson.Integer(id),
		SourceArchiveDigest: "sha256:" + strings.Repeat("01", 32), CandidateDigest: "sha256:" + strings.Repeat("fe", 32),
		Declaration: receipt.Declaration{BlockNumber: 654321, BlockHash: "0xb10c", TransactionHash: "0x7a", CompiledClassHash: "0xca5"},
		IssuedAt:    "2026-11-16T12:00:00Z",
	}, signer.Key.Environment, signer.Key.Toolchain, signer.Key, signer.Private)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// memory is a log in memory.
type memory struct {
	hashes      []tlog.Hash
	checkpoints []*transparency.Checkpoint
}

// Hashes implements transparency.Store.
func (m *memory) Hashes(_ context.Context, indexes []int64) ([]tlog.Hash, error) {
	return m.ReadHashes(indexes)
}

// ReadHashes implements tlog.HashReader.
func (m *memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	read := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(m.hashes)) {
			return nil, fmt.Errorf("got the index %d, want one below %d", index, len(m.hashes))
		}
		read[i] = m.hashes[index]
	}
	return read, nil
}

// Checkpoint implements transparency.Store.
func (m *memory) Checkpoint(_ context.Context, size int64) (*transparency.Checkpoint, error) {
	for i := len(m.checkpoints) - 1; i >= 0; i-- {
		if c := m.checkpoints[i]; size == 0 || c.Size == size {
			return c, nil
		}
	}
	return nil, nil
}

// grow adds digests, as the integration does.
func (m *memory) grow(t *testing.T, signer transparency.Signer, digests ...string) *transparency.Growth {
	t.Helper()
	newest, err := m.Checkpoint(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	if newest != nil {
		size = newest.Size
	}
	pending := make([]transparency.Pending, len(digests))
	for i, digest := range digests {
		pending[i] = transparency.Pending{ReceiptID: size + int64(i) + 1, Digest: digest}
	}
	growth, err := transparency.Grow(newest, pending, m, signer, noon)
	if err != nil {
		t.Fatal(err)
	}
	if growth != nil {
		if growth.First != int64(len(m.hashes)) {
			t.Fatalf("got hashes from the index %d on, want %d", growth.First, len(m.hashes))
		}
		m.hashes, m.checkpoints = append(m.hashes, growth.Hashes...), append(m.checkpoints, growth.Checkpoint)
	}
	return growth
}

// logOf returns a log that got its receipts one by one.
func logOf(t *testing.T, signer transparency.Signer, size int) (*memory, []*receipt.Receipt) {
	t.Helper()
	m, receipts := &memory{}, make([]*receipt.Receipt, size)
	for i := range receipts {
		receipts[i] = receiptOf(t, int64(i)+1, signer)
		m.grow(t, signer, receipts[i].Digest())
	}
	return m, receipts
}

// text returns compact JSON, in which every byte has a meaning.
func text(t *testing.T, document any) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

func rootOf(signers ...transparency.Signer) *receipt.TrustRoot {
	root := &receipt.TrustRoot{}
	for _, s := range signers {
		root.Keys = append(root.Keys, s.Key)
	}
	return root
}

// must returns a value that the test cannot do without.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// expectReason checks that an error is a refusal for one of the reasons, in a
// sentence.
func expectReason(t *testing.T, what string, err error, wants ...receipt.Reason) {
	t.Helper()
	refused, ok := errors.AsType[*receipt.Error](err)
	if !ok {
		t.Errorf("%s: got %v, want one of the reasons %v", what, err, wants)
		return
	}
	for _, want := range wants {
		if refused.Reason == want {
			if !strings.HasSuffix(refused.Message, ".") {
				t.Errorf("%s: got the message %s, want a sentence", what, refused.Message)
			}
			return
		}
	}
	t.Errorf("%s: got %v, want one of the reasons %v", what, err, wants)
}
