package verify

import (
	"crypto/sha256"
	"encoding/json"

	"astrolabe/starknet"
)

// The only values that Package V1 has for these fields.
const (
	PolicyID     = "service-exact-v25"
	BuildProfile = "release"
	TargetKind   = "starknet-contract"
)

// MaxUpload is the largest source archive in bytes.
const MaxUpload = 10 << 20

// Package is a Package V1: what to build, and which class it must give. Its
// felts and integers are canonical.
type Package struct {
	SelectedClassHash starknet.Felt `json:"selectedClassHash"`
	UploadDigest      string        `json:"uploadDigest"` // sha256: and 64 hexadecimal digits
	UploadByteLength  int64         `json:"uploadByteLength"`
	ToolchainPolicyID string        `json:"toolchainPolicyId"`
	PackageName       string        `json:"packageName"`
	BuildProfile      string        `json:"buildProfile"`
	TargetName        string        `json:"targetName"`
	TargetKind        string        `json:"targetKind"`
	ArtifactID        string        `json:"artifactId"`
	ModulePath        string        `json:"modulePath"`
	SourceVisibility  string        `json:"sourceVisibility"`
	RetentionPolicyID string        `json:"retentionPolicyId"`
}

// Canonical returns the package as JSON in the order of its fields. Equal
// packages have equal texts, however the request spelled them.
func (p Package) Canonical() []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and one integer always marshal
	}
	return text
}

// Digest is the SHA-256 of the canonical form: two requests under one
// idempotency key are the same if their digests are equal.
func (p Package) Digest() [sha256.Size]byte { return sha256.Sum256(p.Canonical()) }
