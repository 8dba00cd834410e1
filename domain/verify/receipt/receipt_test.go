package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
)

func TestEverySpellingOfAnIntegerVerifiesAlike(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	e := evidence()
	e.ReceiptID, e.Declaration.BlockNumber = 1, 0
	r, err := receipt.Sign(e, key.Environment, key.Toolchain, key, private(1))
	if err != nil {
		t.Fatal(err)
	}
	plain, root := string(text(t, r)), text(t, receipt.TrustRoot{Keys: []receipt.Key{key}})
	for _, one := range []string{"1", "1.0", "10e-1", "1e0", "1E+00", "0.1e1", "0.001e3", "1000.0e-3"} {
		for _, zero := range []string{"0", "0.0", "0e0", "0e-7", "0.00E+9"} {
			document := strings.Replace(plain, `"receiptId":1,`, `"receiptId":`+one+`,`, 1)
			document = strings.Replace(document, `"blockNumber":0,`, `"blockNumber":`+zero+`,`, 1)
			verified, err := receipt.Verify([]byte(document), root, receipt.Rules{})
			if err != nil {
				t.Errorf("%s and %s: got %v, want the receipt accepted", one, zero, err)
			} else if got, want := verified.ReceiptDigest, r.Digest(); got != want {
				t.Errorf("%s and %s: got the receiptDigest %s, want %s", one, zero, got, want)
			}
		}
	}
	for _, other := range []string{"2", "1.5", "-1", "-1.0", "0", "1e1", `"1"`, "9007199254740992", "1e99999"} {
		document := strings.Replace(plain, `"receiptId":1,`, `"receiptId":`+other+`,`, 1)
		if _, err := receipt.Verify([]byte(document), root, receipt.Rules{}); err == nil {
			t.Errorf("%s: got the receipt accepted, want a refusal", other)
		}
	}
}

func TestAMalformedReceiptIsRefusedWithTheFieldsName(t *testing.T) {
	t.Parallel()
	valid := string(text(t, signed(t, entry("k", 1))))
	cases := []struct{ old, replacement, want string }{
		{`"schemaVersion":"service-portable-verification-receipt-v1"`, `"schemaVersion":"service-portable-verification-receipt-v2"`,
			`schemaVersion must be service-portable-verification-receipt-v1, got "service-portable-verification-receipt-v2".`},
		{`"algorithm":"Ed25519"`, `"algorithm":"none"`, `algorithm must be Ed25519, got "none".`},
		{`"keyId":"k"`, `"keyId":"k k"`, `keyId must be 1 to 128 characters from A-Z a-z 0-9 . _ : -, got "k k".`},
		{`"keyId":"k",`, ``, `The receipt is malformed: missing key "keyId" at "/keyId".`},
		{`"evidence":{`, `"evidence":{"note":1,`, `The receipt is malformed: unknown key "note" at "/evidence/note".`},
		{`"receiptId":100`, `"receiptId":0.0`, `evidence.receiptId must be an integer of at least 1, got "0".`},
		{`"blockNumber":654321`, `"blockNumber":1.5`, `The receipt is malformed: expected an integer from 0 to 9007199254740991 at "/evidence/declaration/blockNumber".`},
		{`"issuedAt":"2026-11-16T12:30:00Z"`, `"issuedAt":"2026-11-16T13:30:00+01:00"`,
			`evidence.issuedAt must be an RFC 3339 time in UTC that ends with Z, got "2026-11-16T13:30:00+01:00".`},
		{`"security",`, ``, `evidence.notProofOf must be each of security, audit, official_attribution, deployment_configuration, current_address_class once, ` +
			`got "audit, official_attribution, deployment_configuration, current_a…".`},
	}
	for _, c := range cases {
		_, err := receipt.Parse([]byte(strings.Replace(valid, c.old, c.replacement, 1)))
		expectReason(t, c.replacement, err, receipt.MalformedReceipt)
		if want := "malformed_receipt: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.replacement, err, want)
		}
	}
	_, err := receipt.Parse([]byte(valid + strings.Repeat(" ", receipt.MaxReceipt)))
	expectReason(t, "a large receipt", err, receipt.MalformedReceipt)
}

func TestHashesAreFeltsInTheirOnlySpelling(t *testing.T) {
	t.Parallel()
	valid := string(text(t, signed(t, entry("k", 1))))
	const prime = "0x800000000000011000000000000000000000000000000000000000000000001"
	for _, field := range []string{`"classHash":"0x1f2e3d4c5b6a"`, `"blockHash":"0xb10c"`, `"transactionHash":"0x7a"`, `"compiledClassHash":"0xca5"`} {
		name, _, _ := strings.Cut(field, ":")
		parse := func(hash string) error {
			_, err := receipt.Parse([]byte(strings.Replace(valid, field, name+`:"`+hash+`"`, 1)))
			return err
		}
		for _, hash := range []string{"0x1", "0xa", strings.TrimSuffix(prime, "1") + "0"} {
			if err := parse(hash); err != nil {
				t.Errorf("%s %s: got %v, want it accepted", name, hash, err)
			}
		}
		for _, hash := range []string{"", "0x", "0x0", "0x01", "0xA", "0Xa", "a", "0xg", " 0x1", "-0x1", prime, "0x" + strings.Repeat("f", 64), "0x1" + strings.Repeat("0", 64)} {
			expectReason(t, name+" "+hash, parse(hash), receipt.MalformedReceipt)
		}
	}
}

func TestAnyOtherByteOfAReceiptIsDetected(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	valid, root := text(t, signed(t, key)), text(t, receipt.TrustRoot{Keys: []receipt.Key{key, entry("j", 2)}})
	if _, err := receipt.Verify(valid, root, receipt.Rules{}); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, document []byte) {
		if _, err := receipt.Verify(document, root, receipt.Rules{}); err == nil {
			t.Errorf("%s: got the receipt accepted, want a refusal: %s", what, document)
		} else {
			reasonOf(t, err)
		}
	}
	for i := range valid {
		for bit := range 8 {
			changed := bytes.Clone(valid)
			changed[i] ^= 1 << bit
			refused(fmt.Sprintf("bit %d of byte %d", bit, i), changed)
		}
		refused(fmt.Sprintf("without byte %d", i), append(bytes.Clone(valid[:i]), valid[i+1:]...))
		refused(fmt.Sprintf("cut at byte %d", i), valid[:i])
	}
}

func TestTheOrderOfNotProofOfIsSigned(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	valid := string(text(t, signed(t, key)))
	if want := `"notProofOf":["security","audit","official_attribution","deployment_configuration","current_address_class"]`; !strings.Contains(valid, want) {
		t.Errorf("got %s, want the order %s", valid, want)
	}
	swapped := strings.Replace(valid, `"security","audit"`, `"audit","security"`, 1)
	_, err := receipt.Verify([]byte(swapped), text(t, receipt.TrustRoot{Keys: []receipt.Key{key}}), receipt.Rules{})
	expectReason(t, swapped, err, receipt.InvalidSignature)
}

func TestASignatureHasOneSpelling(t *testing.T) {
	t.Parallel()
	r := signed(t, entry("k", 1))
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last, accepted := r.Signature[85], 0
	for i := range alphabet {
		r.Signature = r.Signature[:85] + alphabet[i:i+1]
		_, err := receipt.Verify(text(t, r), text(t, receipt.TrustRoot{Keys: []receipt.Key{entry("k", 1)}}), receipt.Rules{})
		if err == nil {
			accepted++
		}
		if (err == nil) != (alphabet[i] == last) {
			t.Errorf("got %v for the last character %q, want only %q accepted", err, alphabet[i], last)
		}
	}
	if accepted != 1 {
		t.Errorf("got %d accepted spellings, want 1", accepted)
	}
}

func TestSignRefusesWhatVerifyWouldRefuse(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	sign := func(change func(*receipt.Evidence, *receipt.Key)) error {
		e, k := evidence(), key
		change(&e, &k)
		r, err := receipt.Sign(e, receipt.Production, toolchain, k, private(1))
		if r != nil && err != nil {
			t.Errorf("got a receipt with %v, want none", err)
		}
		return err
	}
	for _, c := range []struct {
		what   string
		want   receipt.Reason
		change func(*receipt.Evidence, *receipt.Key)
	}{
		{"a class hash of zero", receipt.MalformedReceipt, func(e *receipt.Evidence, _ *receipt.Key) { e.ClassHash = "0x0" }},
		{"no receipt id", receipt.MalformedReceipt, func(e *receipt.Evidence, _ *receipt.Key) { e.ReceiptID = 0 }},
		{"a local time", receipt.MalformedReceipt, func(e *receipt.Evidence, _ *receipt.Key) { e.IssuedAt = "2026-11-16T12:30:00+01:00" }},
		{"another public key", receipt.InvalidSignature, func(_ *receipt.Evidence, k *receipt.Key) { k.PublicKey = entry("k", 2).PublicKey }},
		{"no public key", receipt.MalformedTrustRoot, func(_ *receipt.Evidence, k *receipt.Key) { k.PublicKey = nil }},
		{"an unusable id", receipt.MalformedReceipt, func(_ *receipt.Evidence, k *receipt.Key) { k.ID = "k k" }},
		{"a demo key", receipt.WrongEnvironment, func(_ *receipt.Evidence, k *receipt.Key) { k.Environment = receipt.Demo }},
		{"a key of another version", receipt.WrongToolchain, func(_ *receipt.Evidence, k *receipt.Key) { k.Toolchain.Version = "2.8.3" }},
		{"a revoked key", receipt.KeyRevoked, func(_ *receipt.Evidence, k *receipt.Key) { k.RevokedAt = &k.NotBefore }},
		{"an expired key", receipt.KeyExpired, func(_ *receipt.Evidence, k *receipt.Key) { k.NotAfter = &k.NotBefore }},
		{"a future key", receipt.KeyNotYetValid, func(_ *receipt.Evidence, k *receipt.Key) { k.NotBefore = k.NotBefore.AddDate(1, 0, 0) }},
	} {
		expectReason(t, c.what, sign(c.change), c.want)
	}
	_, err := receipt.Sign(evidence(), receipt.Production, toolchain, key, private(1)[:32])
	expectReason(t, "half a private key", err, receipt.InvalidSignature)
}

func TestSignSetsWhatEveryReceiptSays(t *testing.T) {
	t.Parallel()
	key := entry("k", 1)
	e := evidence()
	e.Verification, e.ProofScope, e.NotProofOf = "verified", "everything", []string{"audit"}
	r, err := receipt.Sign(e, key.Environment, key.Toolchain, key, private(1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Signature, signed(t, key).Signature; got != want {
		t.Errorf("got the signature %s, want %s of the same evidence", got, want)
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Signature)
	if err != nil || !ed25519.Verify(key.PublicKey, r.Evidence.Canonical(), raw) {
		t.Errorf("got a signature that does not verify, %v, want one over %s", err, r.Evidence.Canonical())
	}
}

func TestReceiptsAndPackagesHaveTheSamePolicy(t *testing.T) {
	t.Parallel()
	if verify.PolicyID != receipt.ToolchainPolicyID {
		t.Errorf("got the policy %s of packages, want %s of receipts", verify.PolicyID, receipt.ToolchainPolicyID)
	}
}
