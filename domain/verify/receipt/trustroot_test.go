package receipt_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain/verify/receipt"
)

// at returns a time of the day on which the fixed receipt is issued, at 12:30.
func at(clock string) *time.Time {
	moment, err := time.Parse(time.RFC3339, "2026-11-16T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return &moment
}

func TestTheRulesOfAKeyDecideOnItsReceipts(t *testing.T) {
	t.Parallel()
	valid := text(t, signed(t, entry("k", 1)))
	cases := []struct {
		what   string
		change func(*receipt.Key)
		rules  receipt.Rules
		want   receipt.Reason // empty if accepted
	}{
		{what: "no expiry", change: func(*receipt.Key) {}},
		{what: "issued at notBefore", change: func(k *receipt.Key) { k.NotBefore = *at("12:30:00") }},
		{what: "issued before notBefore", change: func(k *receipt.Key) { k.NotBefore = *at("12:30:00.000000001") }, want: receipt.KeyNotYetValid},
		{what: "issued at notAfter", change: func(k *receipt.Key) { k.NotAfter = at("12:30:00") }},
		{what: "issued after notAfter", change: func(k *receipt.Key) { k.NotAfter = at("12:29:59.999999999") }, want: receipt.KeyExpired},
		{what: "revoked before", change: func(k *receipt.Key) { k.RevokedAt = at("12:00:00") }, want: receipt.KeyRevoked},
		{what: "revoked later", change: func(k *receipt.Key) { k.RevokedAt = at("23:00:00") }, want: receipt.KeyRevoked},
		{what: "demo", change: func(k *receipt.Key) { k.Environment = receipt.Demo }, want: receipt.DemoKey},
		{what: "demo allowed", change: func(k *receipt.Key) { k.Environment = receipt.Demo }, rules: receipt.Rules{AllowDemo: true}},
		{what: "production, demo allowed", change: func(*receipt.Key) {}, rules: receipt.Rules{AllowDemo: true}},
		{what: "the required toolchain", change: func(*receipt.Key) {}, rules: receipt.Rules{ToolchainDigest: toolchain.Digest}},
		{what: "another toolchain", change: func(k *receipt.Key) { k.Toolchain.Digest = "sha256:" + strings.Repeat("0", 64) },
			rules: receipt.Rules{ToolchainDigest: toolchain.Digest}, want: receipt.WrongToolchain},
		{what: "another id", change: func(k *receipt.Key) { k.ID = "K" }, want: receipt.UnknownKey},
		{what: "another public key", change: func(k *receipt.Key) { k.PublicKey = entry("k", 3).PublicKey }, want: receipt.InvalidSignature},
	}
	for _, c := range cases {
		key := entry("k", 1)
		c.change(&key)
		root := receipt.TrustRoot{Keys: []receipt.Key{entry("other", 2), key}}
		verified, err := receipt.Verify(valid, text(t, root), c.rules)
		if c.want != "" {
			expectReason(t, c.what, err, c.want)
		} else if err != nil {
			t.Errorf("%s: got %v, want the receipt accepted", c.what, err)
		} else if diff := cmp.Diff(&key, verified.Key); diff != "" {
			t.Errorf("%s: got another key (-want +got):\n%s", c.what, diff)
		}
	}
	_, err := receipt.Verify(valid, text(t, receipt.TrustRoot{}), receipt.Rules{})
	expectReason(t, "a trust root without keys", err, receipt.UnknownKey)
}

func TestAMalformedTrustRootIsRefusedWithTheFieldsName(t *testing.T) {
	t.Parallel()
	first, second := entry("k", 1), entry("j", 2)
	valid := string(text(t, receipt.TrustRoot{Keys: []receipt.Key{first, second}}))
	cases := []struct{ old, replacement, want string }{
		{`trust-root-v1`, `trust-root-v2`, `schemaVersion must be service-verification-trust-root-v1, got "service-verification-trust-root-v2".`},
		{`"environment":"production"`, `"environment":"staging"`, `keys[0].environment must be production or demo, got "staging".`},
		{`"Ed25519"`, `"Ed448"`, `keys[0].algorithm must be Ed25519, got "Ed448".`},
		{`"publicKey":"`, `"publicKey":"A`, `keys[0].publicKey must be an Ed25519 public key in 43 characters of unpadded base64url, got `},
		{`"notAfter":null,`, ``, `The trust root is malformed: missing key "notAfter" at "/keys/0/notAfter".`},
		{`"revokedAt":null`, `"revokedAt":"never"`, `keys[0].revokedAt must be an RFC 3339 time in UTC that ends with Z, or null, got "\"never\"".`},
		{`"notAfter":null`, `"notAfter":"2025-12-31T23:59:59Z"`, `keys[0].notAfter must not be before notBefore.`},
		{`"version":"2.8.2"`, `"version":"2.8.2\u001b[0m"`, `keys[0].toolchain.version must be 1 to 64 characters from A-Z a-z 0-9 . _ + -, got "2.8.2\x1b[0m".`},
		{`"keyId":"k"`, `"keyId":"j"`, `keys[0] and keys[1] must not have the same keyId.`},
		{`"keys":[`, `"comment":"","keys":[`, `The trust root is malformed: unknown key "comment" at "/comment".`},
	}
	for _, c := range cases {
		_, err := receipt.ParseTrustRoot([]byte(strings.Replace(valid, c.old, c.replacement, 1)))
		expectReason(t, c.replacement, err, receipt.MalformedTrustRoot)
		if want := "malformed_trust_root: " + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", c.replacement, err, want)
		}
	}
	_, err := receipt.ParseTrustRoot([]byte(valid + strings.Repeat(" ", receipt.MaxTrustRoot)))
	expectReason(t, "a large trust root", err, receipt.MalformedTrustRoot)
}

func TestAReceiptCannotBeMovedToAnotherEntryOfItsPublicKey(t *testing.T) {
	t.Parallel()
	demo, production := entry("demo", 1), entry("production", 1)
	demo.Environment = receipt.Demo
	r := signed(t, demo)
	r.KeyID = production.ID
	_, err := receipt.Verify(text(t, r), text(t, receipt.TrustRoot{Keys: []receipt.Key{demo, production}}), receipt.Rules{})
	expectReason(t, "two entries of one public key", err, receipt.MalformedTrustRoot)
}

func TestAnyOtherByteOfAPinnedTrustRootIsDetected(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	key.NotAfter = at("23:00:00")
	valid, root := text(t, signed(t, key)), text(t, receipt.TrustRoot{Keys: []receipt.Key{entry("j", 2), key}})
	verified, err := receipt.Verify(valid, root, receipt.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	pinned := receipt.Rules{TrustRootDigest: verified.TrustRootDigest}
	if _, err := receipt.Verify(valid, root, pinned); err != nil {
		t.Errorf("got %v, want the pinned trust root accepted", err)
	}
	for i := range root {
		for bit := range 8 {
			changed := bytes.Clone(root)
			changed[i] ^= 1 << bit
			_, err := receipt.Verify(valid, changed, pinned)
			expectReason(t, fmt.Sprintf("bit %d of byte %d", bit, i), err, receipt.TrustRootChanged)
		}
	}
	_, err = receipt.Verify(valid, append(root, '\n'), pinned)
	expectReason(t, "a line break", err, receipt.TrustRootChanged)
}

// Without a pin, the fields that a receipt depends on still cannot change
// unnoticed; times and toolchains are what the trust root says they are.
func TestTheKeyOfAReceiptCannotChangeInAnUnpinnedTrustRoot(t *testing.T) {
	t.Parallel()
	valid, root := text(t, signed(t, entry("k", 1))), text(t, receipt.TrustRoot{Keys: []receipt.Key{entry("k", 1)}})
	fields, _, _ := bytes.Cut(root, []byte(`"toolchain"`))
	for i := range fields {
		for bit := range 8 {
			changed := bytes.Clone(root)
			changed[i] ^= 1 << bit
			if _, err := receipt.Verify(valid, changed, receipt.Rules{}); err == nil {
				t.Errorf("bit %d of byte %d: got the receipt accepted, want a refusal: %s", bit, i, changed)
			} else {
				reasonOf(t, err)
			}
		}
	}
}

func TestATrustRootIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	old := entry("old", 2)
	old.Environment, old.NotAfter, old.RevokedAt = receipt.Demo, at("10:00:00.25"), at("11:00:00")
	want := &receipt.TrustRoot{Keys: []receipt.Key{old, entry("new", 1)}}
	got, err := receipt.ParseTrustRoot(text(t, want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got another trust root (-want +got):\n%s", diff)
	}
	if got := string(text(t, receipt.TrustRoot{})); got != `{"schemaVersion":"service-verification-trust-root-v1","keys":[]}` {
		t.Errorf("got %s, want an empty list of keys", got)
	}
}
