package receipt_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/receipt/receipttest"
)

// draft is an object whose members are JSON texts or drafts.
type draft map[string]any

// write returns the object as JSON, in any order and with any white space.
func (d draft) write(t *rapid.T) string {
	var members []string
	for _, key := range rapid.Permutation(slices.Sorted(maps.Keys(d))).Draw(t, "order") {
		space := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")
		members = append(members, space+strconv.Quote(strings.TrimSuffix(key, "!"))+space+":"+space+written(t, d[key])+space)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func written(t *rapid.T, member any) string {
	if d, ok := member.(draft); ok {
		return d.write(t)
	}
	return member.(string)
}

// spell draws one of the spellings of an integer.
func spell(t *rapid.T, n uint64) string {
	digits := strconv.FormatUint(n, 10)
	if n == 0 {
		return rapid.SampledFrom([]string{"0", "0.0", "0e0", "0.00E+7"}).Draw(t, "zero")
	}
	return rapid.SampledFrom([]string{
		digits, digits + ".0", digits + "e0", digits + "0e-1", digits + "00E-02", digits + ".000e+0", "0." + digits + "e" + strconv.Itoa(len(digits)),
	}).Draw(t, "spelling")
}

func quoted(form string) *rapid.Generator[string] {
	return rapid.Map(rapid.StringMatching(form), strconv.Quote)
}

// drawEvidence draws valid evidence.
func drawEvidence(t *rapid.T) draft {
	felt := rapid.Map(rapid.Uint64Min(1), func(n uint64) string { return fmt.Sprintf(`"0x%x"`, n) })
	digest := rapid.Map(rapid.Uint64(), func(n uint64) string { return fmt.Sprintf(`"sha256:%064x"`, n) })
	return draft{
		"jobId": quoted("vrf_[a-z0-9]{2}(aaaaaaaaaaaaaaaaaaaaaa|zzzzzzzzzzzzzzzzzzz0000000000000000000)").Draw(t, "jobId"), "chainId": rapid.SampledFrom([]string{`"SN_MAIN"`, `"SN_SEPOLIA"`}).Draw(t, "chainId"),
		"classHash": felt.Draw(t, "classHash"), "receiptId": spell(t, rapid.Uint64Range(1, 1<<53-1).Draw(t, "receiptId")),
		"verification": `"verified_exact"`, "sourceArchiveDigest": digest.Draw(t, "source"), "toolchainPolicyId": `"service-exact-v25"`,
		"candidateDigest": digest.Draw(t, "candidate"), "proofScope": `"exact_source_rebuild_equals_finalized_declared_class"`,
		"notProofOf": `["security","audit","official_attribution","deployment_configuration","current_address_class"]`,
		"issuedAt":   quoted(`202[5-7]-0[1-9]-[12][0-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?Z`).Draw(t, "issuedAt"),
		"declaration": draft{
			"blockNumber": spell(t, rapid.Uint64Range(0, 1<<53-1).Draw(t, "blockNumber")), "blockHash": felt.Draw(t, "blockHash"),
			"transactionHash": felt.Draw(t, "transactionHash"), "compiledClassHash": felt.Draw(t, "compiledClassHash"),
		},
	}
}

// drawKey draws a valid entry for private(seed).
func drawKey(t *rapid.T, id string, seed byte) draft {
	optional := rapid.SampledFrom([]string{"null", "null", "null", "null", `"2026-06-15T12:00:00Z"`, `"2027-01-01T00:00:00.5Z"`})
	public := base64.RawURLEncoding.EncodeToString(private(seed).Public().(ed25519.PublicKey))
	return draft{
		"keyId": strconv.Quote(id), "algorithm": `"Ed25519"`, "publicKey": strconv.Quote(public),
		"environment": rapid.SampledFrom([]string{`"production"`, `"production"`, `"demo"`}).Draw(t, "environment"),
		"toolchain":   draft{"name": `"cairo-wasm"`, "version": `"2.8.2"`, "digest": `"sha256:` + strings.Repeat("0", 64) + `"`},
		"notBefore":   rapid.SampledFrom([]string{`"2024-01-01T00:00:00Z"`, `"2026-02-01T00:00:00Z"`}).Draw(t, "notBefore"),
		"notAfter":    optional.Draw(t, "notAfter"), "revokedAt": optional.Draw(t, "revokedAt"),
	}
}

// faults are members that are wrong in most places, and right in some.
var faults = []string{
	`null`, `true`, `{}`, `[]`, `""`, `0`, `-0`, `0e9`, `1.5`, `-1`, `1e-1`, `9007199254740991`, `9007199254740992`, `9.1e15`, `0e10000`, `"1"`, `"x"`,
	`"0x0"`, `"0x01"`, `"0xA"`, `"0Xa"`, `"a"`, `"0x"`, `"0x1 "`, `"\u0030x1"`, `"0x` + strings.Repeat("f", 64) + `"`,
	`"0x800000000000011000000000000000000000000000000000000000000000000"`, `"0x800000000000011000000000000000000000000000000000000000000000001"`,
	`"vrf_` + strings.Repeat("a", 23) + `"`, `"vrf_` + strings.Repeat("a", 41) + `"`, `"vrf_` + strings.Repeat("A", 24) + `"`,
	`"sha256:` + strings.Repeat("A", 64) + `"`, `"sha256:` + strings.Repeat("a", 63) + `"`, `"sha256:` + strings.Repeat("a", 64) + `\n"`,
	`"2026-05-05T05:05:05+00:00"`, `"2026-05-05t05:05:05Z"`, `"2026-05-05T05:05:05,5Z"`, `"2026-05-05T5:05:05Z"`, `"2026-02-30T00:00:00Z"`, `"2026-05-05T24:00:00Z"`,
	`"2026-05-05 05:05:05Z"`, `"2026-05-05T05:05:05.1234567890Z"`, `"2026-05-05T05:05:05.10Z"`, `"sn_main"`, `"SN_SEPOLIA"`, `"verified"`, `"demo"`, `"Demo"`, `"ed25519"`,
	`["current_address_class","security","audit","official_attribution","deployment_configuration"]`,
	`["security","audit","official_attribution","deployment_configuration"]`, `["security","audit","official_attribution","deployment_configuration","audit"]`,
	`["security","audit","official_attribution","deployment_configuration","current_address_class","audit"]`,
	`"` + strings.Repeat("A", 43) + `"`, `"` + strings.Repeat("A", 42) + `B"`, `"` + strings.Repeat("A", 44) + `"`, `"` + strings.Repeat("A", 86) + `"`, `"` + strings.Repeat("_", 86) + `"`,
}

// spoil sometimes makes a fault in an object or in one of its members.
func spoil(t *rapid.T, d draft) {
	if rapid.IntRange(0, 3).Draw(t, "spoil") > 0 {
		return
	}
	key := rapid.SampledFrom(slices.Sorted(maps.Keys(d))).Draw(t, "key")
	if inner, ok := d[key].(draft); ok && rapid.Bool().Draw(t, "inner") {
		d = inner
		key = rapid.SampledFrom(slices.Sorted(maps.Keys(d))).Draw(t, "inner key")
	}
	switch rapid.IntRange(0, 9).Draw(t, "fault") {
	case 0:
		delete(d, key)
	case 1:
		d[key+"!"] = d[key] // a duplicate key
	case 2:
		d[strings.ToUpper(key)] = d[key]
		delete(d, key)
	case 3:
		d["extra"] = `1`
	default:
		d[key] = rapid.SampledFrom(faults).Draw(t, "value")
	}
}

// drawDocuments draws a receipt and a trust root. Faults of the evidence are
// signed, so that the signature does not hide them.
func drawDocuments(t *rapid.T) (receiptText, rootText []byte) {
	e := drawEvidence(t)
	spoil(t, e)
	evidenceText := e.write(t)
	value, _ := receipttest.Read([]byte(evidenceText), 1<<20)
	signature := ed25519.Sign(private(1), []byte(receipttest.Canonical(value)))
	id := rapid.SampledFrom([]string{"a", "a", "a", "b", "c"}).Draw(t, "keyId")
	r := draft{
		"schemaVersion": `"service-portable-verification-receipt-v1"`, "algorithm": `"Ed25519"`, "keyId": strconv.Quote(id),
		"evidence": evidenceText, "signature": strconv.Quote(base64.RawURLEncoding.EncodeToString(signature)),
	}
	if rapid.IntRange(0, 3).Draw(t, "outer") == 0 {
		spoil(t, r)
	}
	first, second := drawKey(t, "a", 1), drawKey(t, "b", rapid.SampledFrom([]byte{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1}).Draw(t, "seed"))
	if rapid.IntRange(0, 3).Draw(t, "root") == 0 {
		spoil(t, first)
	}
	root := draft{"schemaVersion": `"service-verification-trust-root-v1"`, "keys": "[" + first.write(t) + "," + second.write(t) + "]"}
	if rapid.IntRange(0, 7).Draw(t, "document") == 0 {
		spoil(t, root)
	}
	receiptText, rootText = []byte(r.write(t)), []byte(root.write(t))
	for _, text := range [][]byte{receiptText, rootText} {
		if rapid.IntRange(0, 9).Draw(t, "tamper") == 0 {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
	}
	return receiptText, rootText
}

// reasonOf returns the reason of a refusal, or "".
func reasonOf(t rapid.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	refused, ok := errors.AsType[*receipt.Error](err)
	if !ok || refused.Message == "" {
		t.Fatalf("got %v, want a refusal with a reason", err)
	}
	return string(refused.Reason)
}

func TestASecondVerifierAgreesOnEveryReceipt(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			receiptText, rootText := drawDocuments(t)
			demo := rapid.Bool().Draw(t, "demo")
			_, err := receipt.Verify(receiptText, rootText, receipt.Rules{AllowDemo: demo})
			got, want := reasonOf(t, err), receipttest.Verify(receiptText, rootText, demo)
			if got != want {
				t.Fatalf("got %q (%v), want %q of the second verifier, for\n%s\n%s", got, err, want, receiptText, rootText)
			}
			outcomes[got]++
		}
	})
	t.Logf("outcomes: %v", outcomes)
	for _, reason := range []string{"", "malformed_receipt", "malformed_trust_root", "unknown_key", "invalid_signature", "demo_key", "key_revoked", "key_not_yet_valid", "key_expired"} {
		if outcomes[reason] == 0 {
			t.Errorf("got no receipt with the outcome %q, want some", reason)
		}
	}
}

func TestASecondVerifierAcceptsWhatSignSigns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e receipt.Evidence
		if err := json.Unmarshal([]byte(drawEvidence(t).write(t)), &e); err != nil {
			t.Fatal(err)
		}
		key := entry("a", 1)
		r, err := receipt.Sign(e, key.Environment, key.Toolchain, key, private(1))
		if err != nil && reasonOf(t, err) == string(receipt.KeyNotYetValid) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		receiptText, _ := json.Marshal(r)
		rootText, _ := json.Marshal(receipt.TrustRoot{Keys: []receipt.Key{key}})
		if got := receipttest.Verify(receiptText, rootText, false); got != "" {
			t.Fatalf("got %s, want %s accepted", got, receiptText)
		}
		value, _ := receipttest.Read(receiptText, 1<<20)
		signed := receipttest.Canonical(value.(map[string]any)["evidence"])
		if !bytes.Equal(r.Evidence.Canonical(), []byte(signed)) {
			t.Fatalf("got the signed bytes %s, want %s", r.Evidence.Canonical(), signed)
		}
	})
}
