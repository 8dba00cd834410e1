package transparency_test

import (
	"errors"
	"testing"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// FuzzCheckpoint expects that a checkpoint is refused with a reason or has one
// spelling.
func FuzzCheckpoint(f *testing.F) {
	signer := signerOf("k", 1)
	f.Add(must(signer.Sign(7, [32]byte{1}, noon)).Note)
	f.Add("astrolabe-verification-log\n1\n\n\n\n— k AAAA\n")
	f.Fuzz(func(t *testing.T, signed string) {
		c, err := transparency.ParseCheckpoint(signed)
		if err != nil {
			if _, ok := errors.AsType[*receipt.Error](err); !ok {
				t.Errorf("got %v, want a reason", err)
			}
			return
		}
		if c.Note != signed || c.Size < 1 {
			t.Errorf("got %+v, want the checkpoint as it was written", c)
		}
	})
}

// FuzzProof expects that a proof is refused with a reason, or is one about a
// smaller part of a log.
func FuzzProof(f *testing.F) {
	f.Add([]byte(`{"receiptId":1,"treeSize":2,"hashes":["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],"checkpoint":""}`))
	f.Add([]byte(`{"from":1,"to":2,"hashes":[],"checkpoint":""}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		inclusion, err := transparency.ParseInclusion(document)
		if _, ok := errors.AsType[*receipt.Error](err); err != nil && !ok {
			t.Errorf("got %v, want a reason", err)
		}
		if err == nil && inclusion.ReceiptID > inclusion.TreeSize {
			t.Errorf("got %+v, want a receipt of the log", inclusion)
		}
		consistency, err := transparency.ParseConsistency(document)
		if _, ok := errors.AsType[*receipt.Error](err); err != nil && !ok {
			t.Errorf("got %v, want a reason", err)
		}
		if err == nil && consistency.From > consistency.To {
			t.Errorf("got %+v, want a smaller log", consistency)
		}
	})
}
