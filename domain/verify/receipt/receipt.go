package receipt

import (
	"encoding/json"
	"time"

	"astrolabe/domain"
	"astrolabe/strictjson"
)

// The only values that receipts have for these fields.
const (
	SchemaVersion     = "service-portable-verification-receipt-v1"
	Algorithm         = "Ed25519"
	Verification      = "verified_exact"
	ToolchainPolicyID = "service-exact-v25"
	ProofScope        = "exact_source_rebuild_equals_finalized_declared_class"
)

// NotProofOf returns what a receipt does not prove, in the order of the contract.
func NotProofOf() []string {
	return []string{"security", "audit", "official_attribution", "deployment_configuration", "current_address_class"}
}

// MaxReceipt is the largest receipt in bytes. Those of this service have less
// than 2 KiB.
const MaxReceipt = 16 << 10

// Receipt is signed evidence. Its fields are in the order of the contract.
type Receipt struct {
	SchemaVersion string   `json:"schemaVersion"`
	Algorithm     string   `json:"algorithm"`
	KeyID         string   `json:"keyId"`
	Evidence      Evidence `json:"evidence"`
	Signature     string   `json:"signature"` // of Evidence.Canonical, in unpadded base64url
}

// Evidence says which source reproduced which class. It keeps texts exactly as
// they were signed; integers have one canonical form.
type Evidence struct {
	JobID               string             `json:"jobId"`
	ChainID             domain.Chain       `json:"chainId"`
	ClassHash           string             `json:"classHash"` // a canonical felt
	ReceiptID           strictjson.Integer `json:"receiptId"`
	Verification        string             `json:"verification"`
	SourceArchiveDigest string             `json:"sourceArchiveDigest"` // the uploadDigest of the job
	ToolchainPolicyID   string             `json:"toolchainPolicyId"`
	CandidateDigest     string             `json:"candidateDigest"` // of CandidateDigest
	Declaration         Declaration        `json:"declaration"`
	ProofScope          string             `json:"proofScope"`
	NotProofOf          []string           `json:"notProofOf"`
	IssuedAt            string             `json:"issuedAt"` // RFC 3339 in UTC, with Z
}

// Declaration is the finalized declaration that the build reproduced. Its hashes
// are canonical felts.
type Declaration struct {
	BlockNumber       strictjson.Integer `json:"blockNumber"`
	BlockHash         string             `json:"blockHash"`
	TransactionHash   string             `json:"transactionHash"`
	CompiledClassHash string             `json:"compiledClassHash"` // as in the declare transaction
}

// Parse reads a receipt. Integral spellings of a number, such as 1.0 and 10e-1,
// become the same integer; everything else must have exactly the form of the
// contract, or the error is MalformedReceipt. Parse does not check the signature.
func Parse(data []byte) (*Receipt, error) {
	if len(data) > MaxReceipt {
		return nil, refuse(MalformedReceipt, "The receipt is larger than %d bytes.", MaxReceipt)
	}
	var r Receipt
	if err := strictjson.Decode(data, &r); err != nil {
		return nil, refuse(MalformedReceipt, "The receipt is malformed: %v.", err)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Canonical returns the bytes that the signature covers: the evidence in the
// form of RFC 8785.
func (e *Evidence) Canonical() []byte { return canonical(e) }

// Digest returns the receiptDigest: the SHA-256 of the canonical form of the
// whole receipt.
func (r *Receipt) Digest() string { return digestOf(canonical(r)) }

// canonical returns the RFC 8785 form of a document of this package.
func canonical(document any) []byte {
	text, err := json.Marshal(document)
	if err == nil {
		text, err = strictjson.Canonical(text)
	}
	if err != nil {
		panic(err) // strings and small integers always have a form
	}
	return text
}

// Issued returns the time of a checked evidence.
func (e *Evidence) Issued() time.Time {
	at, _ := parseTime(e.IssuedAt)
	return at
}
