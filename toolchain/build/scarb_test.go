package build_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"
	"astrolabe/starknet"
	"astrolabe/toolchain"
	"astrolabe/toolchain/build"
	"astrolabe/toolchain/cairotest"
)

// release builds a release whose scarb is the program in testdata.
func release(t *testing.T) build.Release {
	t.Helper()
	dir := cairotest.PublicDir(t)
	compile := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "bin", "scarb"), "./testdata/fakescarb")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	digest, err := toolchain.FolderDigest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return build.Release{Dir: dir, Version: "2.8.2", Digest: "sha256:" + digest}
}

// class is a class as Scarb writes it, with names for debugging.
const class = `{"sierra_program":["0x1","0x2"],"sierra_program_debug_info":{"type_names":[]},"contract_class_version":"0.1.0",` +
	`"entry_points_by_type":{"EXTERNAL":[{"selector":"0x5","function_idx":0}],"L1_HANDLER":[],"CONSTRUCTOR":[]},"abi":[{"type":"function","name":"f"}]}`

func TestScarbBuildsWithWhatTheReleaseWrites(t *testing.T) {
	t.Parallel()
	pinned := release(t)
	scarb, err := build.OpenScarb(t.Context(), sandboxtest.Open(t), pinned, sandbox.BuildLimits)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := scarb.Toolchain(), (verify.Toolchain{Name: "scarb", Version: "2.8.2", Digest: pinned.Digest}); got != want {
		t.Errorf("the toolchain: got %v, want %v", got, want)
	}
	compile := func(t *testing.T, behave string, change func(*verify.Package)) (*verify.Output, error) {
		t.Helper()
		files := bank(t)
		files["behave"] = &fstest.MapFile{Data: []byte(behave)}
		files["class.json"] = &fstest.MapFile{Data: []byte(class)}
		files["artifact"] = &fstest.MapFile{Data: []byte(toolchain.ArtifactID("bank", vault))}
		packed, p := pack(t, files, "bank", vault)
		change(&p)
		return scarb.Compile(t.Context(), packed, p)
	}
	as := func(*verify.Package) {}

	output, err := compile(t, "", as)
	if err != nil {
		t.Fatalf("%v, log %s", err, output.LogTail)
	}
	var want, got starknet.SierraClass
	if err := json.Unmarshal([]byte(class), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(output.Class, &got); err != nil || got.Hash() != want.Hash() {
		t.Errorf("the class: got the hash %s, %v, want %s", got.Hash(), err, want.Hash())
	}
	if strings.Contains(string(output.Class), "debug_info") || !strings.Contains(output.LogTail, "Compiling bank") || output.Duration <= 0 {
		t.Errorf("got the class %s, the log %q and %s, want no names, Scarb's output and a duration", output.Class, output.LogTail, output.Duration)
	}

	refusals := []struct {
		behave string
		change func(*verify.Package)
		code   verify.FailureCode
		part   string
	}{
		{"exit", as, verify.BuildFailed, "exit status 7"},
		{"index", as, verify.BuildFailed, "did not write the file \"bank.starknet_artifacts.json\""},
		{"json", as, verify.BuildFailed, "malformed bank.starknet_artifacts.json"},
		{"version", as, verify.BuildFailed, "version 2"},
		{"id", as, verify.BuildFailed, `artifactIds are ["other"]`},
		{"two", as, verify.BuildFailed, "two contracts"},
		{"path", as, verify.BuildFailed, "bank::Other"},
		{"none", as, verify.BuildFailed, "no Sierra class"},
		{"outside", as, verify.BuildFailed, "no Sierra class"},
		{"link", as, verify.BuildFailed, "did not write the file"},
		{"class", as, verify.BuildFailed, "malformed class"},
		{"large", as, verify.BuildLimitExceeded, "more than 64 MiB"},
		{"", func(p *verify.Package) { p.ArtifactID = "wrong" }, verify.BuildFailed, `no contract with the artifactId "wrong"`},
		{"", func(p *verify.Package) { p.PackageName = "none" }, verify.SourceRejected, `no package "none"`},
	}
	for _, refusal := range refusals {
		output, err := compile(t, refusal.behave, refusal.change)
		failure, ok := errors.AsType[*verify.Failure](err)
		if !ok || failure.Code != refusal.code || !strings.Contains(failure.Message, refusal.part) || output.Class != nil {
			t.Errorf("%q: got %v, want %s with %q and no class", refusal.behave, err, refusal.code, refusal.part)
		}
	}
}

func TestScarbOverALimitIsRefusedWithItsName(t *testing.T) {
	t.Parallel()
	limits := sandbox.BuildLimits
	limits.CPU, limits.Memory, limits.FileSize = 2*time.Second, 512<<20, 64<<20
	scarb, err := build.OpenScarb(t.Context(), sandboxtest.Open(t), release(t), limits)
	if err != nil {
		t.Fatal(err)
	}
	for behave, part := range map[string]string{
		"memory": "512 MiB of memory", "cpu": "2 s of CPU time", "file": "64 MiB for a file", "disk": "128 MiB for all",
	} {
		files := bank(t)
		files["behave"] = &fstest.MapFile{Data: []byte(behave)}
		packed, p := pack(t, files, "bank", vault)
		output, err := scarb.Compile(t.Context(), packed, p)
		failure, ok := errors.AsType[*verify.Failure](err)
		if !ok || failure.Code != verify.BuildLimitExceeded || !strings.Contains(failure.Message, part) || output.Class != nil {
			t.Errorf("%s: got %v with the log %q, want %s with %q and no class", behave, err, output.LogTail, verify.BuildLimitExceeded, part)
		}
	}
}

func TestOnlyThePinnedReleaseIsRun(t *testing.T) {
	t.Parallel()
	box, pinned := sandboxtest.Open(t), release(t)
	other := pinned
	other.Digest = "sha256:" + strings.Repeat("0", 64)
	if _, err := build.OpenScarb(t.Context(), box, other, sandbox.BuildLimits); !errors.Is(err, build.ErrForeignRelease) {
		t.Errorf("another digest: got %v, want %v", err, build.ErrForeignRelease)
	}
	scarb, err := build.OpenScarb(t.Context(), box, pinned, sandbox.BuildLimits)
	if err != nil {
		t.Fatal(err)
	}
	extra := filepath.Join(pinned.Dir, "bin", "extra")
	if err := os.WriteFile(extra, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(extra, 0o644); err != nil { // the sandbox can read it, also if root runs this test
		t.Fatal(err)
	}
	packed, p := pack(t, bank(t), "bank", vault)
	_, err = scarb.Compile(t.Context(), packed, p)
	if _, decided := errors.AsType[*verify.Failure](err); err == nil || decided || !strings.Contains(err.Error(), build.ErrForeignRelease.Error()) {
		t.Errorf("a release that changed after it was opened: got %v, want %v, which decides nothing", err, build.ErrForeignRelease)
	}
}
