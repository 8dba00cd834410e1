package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/starknet"
)

var (
	keyIDForm     = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
	signatureForm = regexp.MustCompile(`^[A-Za-z0-9_-]{86}$`)
	jobIDForm     = regexp.MustCompile(`^vrf_[a-z0-9]{24,40}$`)
	digestForm    = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	feltForm      = regexp.MustCompile(`^0x[1-9a-f][0-9a-f]{0,63}$`)
	timeForm      = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
)

// The forms of fields in messages.
const (
	keyIDText  = "1 to 128 characters from A-Z a-z 0-9 . _ : -"
	digestText = "sha256: followed by 64 lower-case hexadecimal digits"
	feltText   = "a felt other than zero in lower-case hexadecimal digits without leading zeros, below the field prime"
	timeText   = "an RFC 3339 time in UTC that ends with Z"
)

// IsDigest reports whether a text is a SHA-256 as documents spell it: sha256:
// followed by 64 lower-case hexadecimal digits.
func IsDigest(text string) bool { return digestForm.MatchString(text) }

// rule is what a field of a document must be.
type rule struct {
	field string
	ok    bool
	form  string
	got   string
}

// firstBroken returns the error of the first rule that does not hold.
func firstBroken(reason Reason, rules []rule) error {
	for _, r := range rules {
		if !r.ok {
			return refuse(reason, "%s must be %s, got %s.", r.field, r.form, domain.Quote(r.got))
		}
	}
	return nil
}

// check returns MalformedReceipt unless every field has its form.
func (r *Receipt) check() error {
	_, signed := decodeBase64(r.Signature, ed25519.SignatureSize)
	err := firstBroken(MalformedReceipt, []rule{
		constant("schemaVersion", SchemaVersion, r.SchemaVersion),
		constant("algorithm", Algorithm, r.Algorithm),
		pattern("keyId", keyIDForm, keyIDText, r.KeyID),
		{"signature", signed && signatureForm.MatchString(r.Signature), "an Ed25519 signature in 86 characters of unpadded base64url", r.Signature},
	})
	if err != nil {
		return err
	}
	return r.Evidence.check()
}

// check returns MalformedReceipt unless every field has its form.
func (e *Evidence) check() error {
	d := e.Declaration
	return firstBroken(MalformedReceipt, []rule{
		pattern("evidence.jobId", jobIDForm, "vrf_ followed by 24 to 40 characters from a-z 0-9", e.JobID),
		{"evidence.chainId", slices.Contains(domain.Chains, e.ChainID), "SN_MAIN or SN_SEPOLIA", string(e.ChainID)},
		felt("evidence.classHash", e.ClassHash),
		{"evidence.receiptId", e.ReceiptID >= 1, "an integer of at least 1", strconv.FormatUint(uint64(e.ReceiptID), 10)},
		constant("evidence.verification", Verification, e.Verification),
		pattern("evidence.sourceArchiveDigest", digestForm, digestText, e.SourceArchiveDigest),
		constant("evidence.toolchainPolicyId", ToolchainPolicyID, e.ToolchainPolicyID),
		pattern("evidence.candidateDigest", digestForm, digestText, e.CandidateDigest),
		felt("evidence.declaration.blockHash", d.BlockHash),
		felt("evidence.declaration.transactionHash", d.TransactionHash),
		felt("evidence.declaration.compiledClassHash", d.CompiledClassHash),
		constant("evidence.proofScope", ProofScope, e.ProofScope),
		{"evidence.notProofOf", isWhole(e.NotProofOf), "each of " + strings.Join(NotProofOf(), ", ") + " once", strings.Join(e.NotProofOf, ", ")},
		moment("evidence.issuedAt", e.IssuedAt),
	})
}

// isWhole reports whether a list has each value of NotProofOf once. The contract
// does not fix the order, but the signature does.
func isWhole(list []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(list)), slices.Sorted(slices.Values(NotProofOf())))
}

func constant(field, want, got string) rule { return rule{field, got == want, want, got} }

func pattern(field string, form *regexp.Regexp, text, got string) rule {
	return rule{field, form.MatchString(got), text, got}
}

func felt(field, got string) rule {
	_, err := starknet.ParseFelt(got)
	return rule{field, err == nil && feltForm.MatchString(got), feltText, got}
}

func moment(field, got string) rule {
	_, ok := parseTime(got)
	return rule{field, ok, timeText, got}
}

// parseTime reads a time in the one form that documents of this package have.
func parseTime(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil && timeForm.MatchString(text)
}

// decodeBase64 reads unpadded base64url of a fixed length. Bits that do not
// belong to a byte must be zero, so that there is one spelling.
func decodeBase64(text string, length int) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") { // which the decoder would skip
		return nil, false
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return decoded, err == nil && len(decoded) == length
}
