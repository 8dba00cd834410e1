package build_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"astrolabe/domain/verify"
	"astrolabe/domain/verify/archive"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
)

func TestMain(m *testing.M) {
	sandbox.Reexec()
	os.Exit(m.Run())
}

// bank is the tree of testdata.
func bank(t *testing.T) fstest.MapFS {
	t.Helper()
	parsed, err := txtar.ParseFile("testdata/bank.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, f := range parsed.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

// pack packs a tree and describes the contract in it.
func pack(t *testing.T, files fs.FS, name, path string) (*bytes.Buffer, verify.Package) {
	t.Helper()
	var packed bytes.Buffer
	if err := archive.Pack(&packed, files); err != nil {
		t.Fatal(err)
	}
	return &packed, verify.Package{
		UploadDigest: fmt.Sprintf("sha256:%x", sha256.Sum256(packed.Bytes())), UploadByteLength: int64(packed.Len()),
		PackageName: name, TargetName: name, ModulePath: path, ArtifactID: toolchain.ArtifactID(name, path),
		BuildProfile: verify.BuildProfile, TargetKind: verify.TargetKind, ToolchainPolicyID: verify.PolicyID,
	}
}

// vault is the path of bank's contract.
const vault = "bank::contracts::vault::Vault"
