package receipt_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/receipt/receipttest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares a document with its file. Receipts are kept for good, so a
// changed golden file means that receipts of earlier releases no longer verify.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
	return want
}

func indented(t *testing.T, document any) []byte {
	t.Helper()
	written, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(written, '\n')
}

func TestReceiptsOfEarlierReleasesVerify(t *testing.T) {
	t.Parallel()
	key, old := entry("astrolabe:2026-11", 1), entry("astrolabe:demo", 2)
	old.Environment, old.NotAfter, old.RevokedAt = receipt.Demo, at("10:00:00"), at("11:00:00")
	r := signed(t, key)
	receiptText := golden(t, "receipt.json", indented(t, r))
	rootText := golden(t, "trust-root.json", indented(t, receipt.TrustRoot{Keys: []receipt.Key{old, key}}))
	golden(t, "evidence.canonical.json", r.Evidence.Canonical())
	verified, err := receipt.Verify(receiptText, rootText, receipt.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "digests.txt", []byte("receiptDigest "+verified.ReceiptDigest+"\ntrustRootDigest "+verified.TrustRootDigest+"\n"))
	if got := receipttest.Verify(receiptText, rootText, false); got != "" {
		t.Errorf("got %s of the second verifier, want the receipt accepted", got)
	}
}
