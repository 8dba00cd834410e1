package receipt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/receipt/receipttest"
)

// seeds adds the golden file of a document and faulty forms of it.
func seeds(f *testing.F, file string) {
	f.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(document)
	f.Add(bytes.ReplaceAll(document, []byte("100"), []byte("1.0e2")))
	f.Add(bytes.ReplaceAll(document, []byte("null"), []byte(`"2026-11-16T12:30:00.5Z"`)))
	f.Add(bytes.ReplaceAll(document, []byte("0x"), []byte("0x0")))
	f.Add(bytes.ReplaceAll(document, []byte("keyId"), []byte("keyID")))
	f.Add(append(document, document...))
	f.Add([]byte(`{}`))
}

// FuzzParse checks that both parsers accept the same receipts, and that a
// receipt, written again, is the same.
func FuzzParse(f *testing.F) {
	seeds(f, "testdata/receipt.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := receipt.Parse(data)
		value, ok := receipttest.ParseReceipt(data)
		if ok != (err == nil) {
			t.Fatalf("got %v, want %v as the second parser says", err, ok)
		}
		if err != nil {
			reasonOf(t, err)
			return
		}
		if got, want := string(r.Evidence.Canonical()), receipttest.Canonical(value["evidence"]); got != want {
			t.Fatalf("got the signed bytes %s, want %s", got, want)
		}
		again, err := receipt.Parse(text(t, r))
		if err != nil {
			t.Fatalf("%s, written and read again: %v", data, err)
		}
		if got, want := again.Digest(), r.Digest(); got != want {
			t.Fatalf("%s, written and read again: got the digest %s, want %s", data, got, want)
		}
	})
}

// FuzzParseTrustRoot checks that both parsers accept the same trust roots, and
// that a trust root, written again, is the same.
func FuzzParseTrustRoot(f *testing.F) {
	seeds(f, "testdata/trust-root.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := receipt.ParseTrustRoot(data)
		if _, ok := receipttest.ParseTrustRoot(data); ok != (err == nil) {
			t.Fatalf("got %v, want %v as the second parser says", err, ok)
		}
		if err != nil {
			reasonOf(t, err)
			return
		}
		first := text(t, root)
		again, err := receipt.ParseTrustRoot(first)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("got %s, %v, want %s", second, err, first)
		}
	})
}
