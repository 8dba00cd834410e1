package transparency_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/transparency"
)

// merkle computes the root of RFC 6962 without tlog: it keeps the roots of perfect
// trees like the digits of a binary counter, and joins them at the end.
func merkle(records []string) [sha256.Size]byte {
	type tree struct {
		root   [sha256.Size]byte
		leaves int
	}
	join := func(left, right tree) tree {
		node := append([]byte{1}, left.root[:]...)
		return tree{sha256.Sum256(append(node, right.root[:]...)), left.leaves + right.leaves}
	}
	var trees []tree
	for _, record := range records {
		trees = append(trees, tree{sha256.Sum256(append([]byte{0}, record...)), 1})
		for n := len(trees); n > 1 && trees[n-2].leaves == trees[n-1].leaves; n = len(trees) {
			trees = append(trees[:n-2], join(trees[n-2], trees[n-1]))
		}
	}
	for n := len(trees); n > 1; n = len(trees) {
		trees = append(trees[:n-2], join(trees[n-2], trees[n-1]))
	}
	return trees[0].root
}

// The records and roots are the test vectors of Certificate Transparency.
func TestRootsAreTheKnownAnswersOfCertificateTransparency(t *testing.T) {
	t.Parallel()
	signer, m, records := signerOf("k", 1), &memory{}, []string{}
	for _, c := range []struct{ record, root string }{
		{"", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
		{"00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"},
		{"10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"},
		{"2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"},
		{"3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"},
		{"40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"},
		{"5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"},
		{"606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"},
	} {
		record := string(must(hex.DecodeString(c.record)))
		records = append(records, record)
		root := m.grow(t, signer, record).Checkpoint.Root
		if got := hex.EncodeToString(root[:]); got != c.root {
			t.Errorf("%d records: got the root %s, want %s", len(records), got, c.root)
		}
		if second := merkle(records); second != root {
			t.Errorf("%d records: got the second root %x, want %x", len(records), second, root)
		}
	}
}

func TestEveryProofOfSmallLogsVerifies(t *testing.T) {
	t.Parallel()
	const largest = 70
	signer := signerOf("k", 1)
	m, receipts := logOf(t, signer, largest)
	root := rootOf(signer)
	rootText, log, digests := text(t, root), transparency.NewLog(m), make([]string, largest)
	for i, r := range receipts {
		digests[i] = r.Digest()
	}
	for size := int64(1); size <= largest; size++ {
		c := must(m.Checkpoint(t.Context(), size))
		if want := merkle(digests[:size]); c.Root != want {
			t.Errorf("%d receipts: got the root %s, want %x", size, c.Root, want)
		}
		for n := int64(1); n <= size; n++ {
			proof := must(log.Inclusion(t.Context(), n, size))
			if size == largest || n == 1 || n == size { // with all signatures
				if _, err := transparency.VerifyInclusion(text(t, receipts[n-1]), text(t, proof), rootText, receipt.Rules{}); err != nil {
					t.Errorf("receipt %d of %d: got %v, want it included", n, size, err)
				}
			}
			hashes := make(tlog.RecordProof, len(proof.Hashes))
			for i, h := range proof.Hashes {
				hashes[i] = must(tlog.ParseHash(h))
			}
			if err := tlog.CheckRecord(hashes, size, c.Root, n-1, tlog.RecordHash([]byte(digests[n-1]))); err != nil {
				t.Errorf("receipt %d of %d: got %v, want it included", n, size, err)
			}
			earlier := must(m.Checkpoint(t.Context(), n))
			got, err := transparency.VerifyConsistency(earlier.Note, text(t, must(log.Consistency(t.Context(), n, size))), root, receipt.Rules{})
			if err != nil || got.Size != size {
				t.Errorf("%d receipts of %d: got %v and %v, want a consistent log", n, size, got, err)
			}
		}
	}
}

// A log grows by the same hashes whatever the batches are.
func TestBatchesDoNotChangeTheLog(t *testing.T) {
	t.Parallel()
	signer, one, many := signerOf("k", 1), &memory{}, &memory{}
	digests := make([]string, 600)
	for i := range digests {
		digests[i] = fmt.Sprintf("sha256:%064x", i)
		one.grow(t, signer, digests[i])
	}
	for rest, batch := digests, 1; len(rest) > 0; batch = min(2*batch+1, len(rest)) {
		many.grow(t, signer, rest[:batch]...)
		rest = rest[batch:]
	}
	if fmt.Sprint(one.hashes) != fmt.Sprint(many.hashes) {
		t.Error("got other hashes in batches, want the same")
	}
	if a, b := must(one.Checkpoint(t.Context(), 0)), must(many.Checkpoint(t.Context(), 0)); a.Note != b.Note {
		t.Errorf("got the checkpoint\n%s, want\n%s", b.Note, a.Note)
	}
}
