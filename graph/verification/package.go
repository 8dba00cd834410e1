package verification

import (
	"astrolabe/domain/verify"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// Package is a Package V1 as the input of a mutation.
type Package struct {
	SelectedClassHash starknet.Felt
	UploadDigest      string
	UploadByteLength  int
	ToolchainPolicyID string
	PackageName       string
	BuildProfile      string
	TargetName        string
	TargetKind        string
	ArtifactID        string
	ModulePath        string
	SourceVisibility  scalar.Enum
	RetentionPolicyID string
}

// body returns the package as the body of a request, which the domain checks.
func (p Package) body() []byte {
	return verify.Package{
		SelectedClassHash: p.SelectedClassHash, UploadDigest: p.UploadDigest, UploadByteLength: int64(p.UploadByteLength),
		ToolchainPolicyID: p.ToolchainPolicyID, PackageName: p.PackageName, BuildProfile: p.BuildProfile,
		TargetName: p.TargetName, TargetKind: p.TargetKind, ArtifactID: p.ArtifactID, ModulePath: p.ModulePath,
		SourceVisibility: string(p.SourceVisibility), RetentionPolicyID: p.RetentionPolicyID,
	}.Canonical()
}
