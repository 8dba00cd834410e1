package receipttest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Verify returns the reason for which a receipt is not to be trusted, or "".
func Verify(receiptText, rootText []byte, allowDemo bool) string {
	root, ok := ParseTrustRoot(rootText)
	if !ok {
		return "malformed_trust_root"
	}
	r, ok := ParseReceipt(receiptText)
	if !ok {
		return "malformed_receipt"
	}
	var key map[string]any
	for _, k := range root {
		if k["keyId"] == r["keyId"] {
			key = k
		}
	}
	if key == nil {
		return "unknown_key"
	}
	public, _ := base64.URLEncoding.DecodeString(key["publicKey"].(string) + "=")
	signature, _ := base64.URLEncoding.DecodeString(r["signature"].(string) + "==")
	evidence := r["evidence"].(map[string]any)
	if !ed25519.Verify(public, []byte(Canonical(evidence)), signature) {
		return "invalid_signature"
	}
	issued := parseTime(evidence["issuedAt"])
	switch {
	case key["environment"] == "demo" && !allowDemo:
		return "demo_key"
	case key["revokedAt"] != nil:
		return "key_revoked"
	case issued.Compare(*parseTime(key["notBefore"])) < 0:
		return "key_not_yet_valid"
	case key["notAfter"] != nil && issued.Compare(*parseTime(key["notAfter"])) > 0:
		return "key_expired"
	}
	return ""
}

// ParseReceipt parses a receipt.
func ParseReceipt(text []byte) (map[string]any, bool) {
	value, ok := Read(text, 16384)
	r, _ := value.(map[string]any)
	e, _ := r["evidence"].(map[string]any)
	d, _ := e["declaration"].(map[string]any)
	digest, felts := `sha256:[0-9a-f]{64}`, []any{e["classHash"], d["blockHash"], d["transactionHash"], d["compiledClassHash"]}
	return r, ok &&
		hasKeys(r, "schemaVersion algorithm keyId evidence signature") &&
		hasKeys(e, "jobId chainId classHash receiptId verification sourceArchiveDigest toolchainPolicyId candidateDigest declaration proofScope notProofOf issuedAt") &&
		hasKeys(d, "blockNumber blockHash transactionHash compiledClassHash") &&
		like(r["schemaVersion"], "service-portable-verification-receipt-v1") && like(r["algorithm"], "Ed25519") &&
		like(r["keyId"], "[A-Za-z0-9._:-]{1,128}") && like(r["signature"], "[A-Za-z0-9_-]{85}[AQgw]") &&
		like(e["jobId"], "vrf_[a-z0-9]{24,40}") && like(e["chainId"], "SN_MAIN|SN_SEPOLIA") && !slices.ContainsFunc(felts, isNoHash) &&
		integerFrom(e["receiptId"], 1) && integerFrom(d["blockNumber"], 0) && like(e["verification"], "verified_exact") &&
		like(e["sourceArchiveDigest"], digest) && like(e["candidateDigest"], digest) && like(e["toolchainPolicyId"], "service-exact-v25") &&
		like(e["proofScope"], "exact_source_rebuild_equals_finalized_declared_class") && isDisclaimer(e["notProofOf"]) && parseTime(e["issuedAt"]) != nil
}

// ParseTrustRoot parses a trust root into its keys.
func ParseTrustRoot(text []byte) ([]map[string]any, bool) {
	value, ok := Read(text, 1<<20)
	root, _ := value.(map[string]any)
	list, isList := root["keys"].([]any)
	if !ok || !isList || !hasKeys(root, "schemaVersion keys") || !like(root["schemaVersion"], "service-verification-trust-root-v1") {
		return nil, false
	}
	var keys []map[string]any
	for _, element := range list {
		k, _ := element.(map[string]any)
		c, _ := k["toolchain"].(map[string]any)
		from, to, revoked := parseTime(k["notBefore"]), parseTime(k["notAfter"]), parseTime(k["revokedAt"])
		if !hasKeys(k, "keyId algorithm publicKey environment toolchain notBefore notAfter revokedAt") || !hasKeys(c, "name version digest") ||
			!like(k["keyId"], "[A-Za-z0-9._:-]{1,128}") || !like(k["algorithm"], "Ed25519") || !like(k["publicKey"], "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]") ||
			!like(k["environment"], "production|demo") || !like(c["name"], "[A-Za-z0-9._+-]{1,64}") || !like(c["version"], "[A-Za-z0-9._+-]{1,64}") ||
			!like(c["digest"], "sha256:[0-9a-f]{64}") || from == nil || to == nil && k["notAfter"] != nil || revoked == nil && k["revokedAt"] != nil ||
			to != nil && to.Before(*from) {
			return nil, false
		}
		for _, other := range keys {
			if other["keyId"] == k["keyId"] || other["publicKey"] == k["publicKey"] {
				return nil, false
			}
		}
		keys = append(keys, k)
	}
	return keys, true
}

// hasKeys reports whether an object has exactly these keys.
func hasKeys(object map[string]any, names string) bool {
	want := strings.Fields(names)
	for _, name := range want {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return len(object) == len(want)
}

// like reports whether a value is a string of that form.
func like(value any, form string) bool {
	s, ok := value.(string)
	compiled, known := forms.Load(form)
	if !known {
		compiled, _ = forms.LoadOrStore(form, regexp.MustCompile(`\A(?:`+form+`)\z`))
	}
	return ok && compiled.(*regexp.Regexp).MatchString(s)
}

var forms sync.Map // of compiled expressions, by their text

// isNoHash reports whether a value is not a felt above zero in its only spelling.
func isNoHash(value any) bool {
	s, _ := value.(string)
	n, ok := new(big.Int).SetString(strings.TrimPrefix(s, "0x"), 16)
	if !ok || n.Sign() <= 0 || s != fmt.Sprintf("0x%x", n) {
		return true
	}
	p := new(big.Int).Lsh(big.NewInt(1), 251)
	p.Add(p, new(big.Int).Lsh(big.NewInt(17), 192)).Add(p, big.NewInt(1))
	return n.Cmp(p) >= 0
}

// integerFrom reports whether a value is an unsigned integer from least to 2^53-1.
func integerFrom(value any, least int64) bool {
	n, ok := value.(json.Number)
	if !ok || n[0] == '-' {
		return false
	}
	whole := parseInteger(n)
	return whole != nil && whole.Cmp(big.NewInt(least)) >= 0 && whole.BitLen() <= 53
}

// parseInteger returns the integer that a number spells, or nil.
func parseInteger(n json.Number) *big.Int {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	if len(strings.TrimLeft(exponent, "+-0")) > 4 {
		return nil
	}
	exact, ok := new(big.Rat).SetString(string(n))
	if !ok || !exact.IsInt() {
		return nil
	}
	return exact.Num()
}

// isDisclaimer reports whether a value lists the five things that are not proven.
func isDisclaimer(value any) bool {
	list, _ := value.([]any)
	for _, want := range []string{"security", "audit", "official_attribution", "deployment_configuration", "current_address_class"} {
		if !slices.Contains(list, any(want)) {
			return false
		}
	}
	return len(list) == 5
}

// parseTime returns a time in UTC, or nil.
func parseTime(value any) *time.Time {
	if !like(value, `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z`) {
		return nil
	}
	at, err := time.Parse("2006-01-02T15:04:05.999999999Z", value.(string))
	if err != nil {
		return nil
	}
	return &at
}

// Canonical writes a value with sorted keys and plain integers. It is for
// the documents here, whose keys and strings need no escapes.
func Canonical(value any) string {
	switch value := value.(type) {
	case map[string]any:
		var members []string
		for key, member := range value {
			members = append(members, `"`+key+`":`+Canonical(member))
		}
		slices.Sort(members) // a quote sorts before every character of a key
		return "{" + strings.Join(members, ",") + "}"
	case []any:
		var elements []string
		for _, element := range value {
			elements = append(elements, Canonical(element))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case json.Number:
		if whole := parseInteger(value); whole != nil {
			return whole.String()
		}
		return string(value)
	case string:
		return `"` + value + `"`
	}
	return fmt.Sprint(value)
}

// Read parses one JSON value without duplicate keys.
func Read(text []byte, most int) (any, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value, err := readValue(dec)
	if err == nil {
		if _, end := dec.Token(); !errors.Is(end, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	return value, err == nil && len(text) <= most && utf8.Valid(text) && json.Valid(text)
}

func readValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	switch {
	case err != nil:
		return nil, err
	case token == json.Delim('{'):
		object := map[string]any{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			if _, taken := object[key.(string)]; taken {
				return nil, io.ErrUnexpectedEOF
			}
			if object[key.(string)], err = readValue(dec); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return object, err
	case token == json.Delim('['):
		list := []any{}
		for dec.More() {
			element, err := readValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, element)
		}
		_, err = dec.Token()
		return list, err
	}
	return token, nil
}
