package build_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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

func openWasm(t *testing.T, box *sandbox.Sandbox) *build.Wasm {
	t.Helper()
	compiler, err := build.OpenWasm(t.Context(), box, cairotest.Sandboxed(t), sandbox.BuildLimits)
	if err != nil {
		t.Fatal(err)
	}
	return compiler
}

// hash compiles an archive and returns the class hash.
func hash(t *testing.T, compiler verify.Compiler, packed io.Reader, p verify.Package) starknet.Felt {
	t.Helper()
	output, err := compiler.Compile(t.Context(), packed, p)
	if err != nil {
		t.Fatal(err)
	}
	var class starknet.SierraClass
	if err := json.Unmarshal(output.Class, &class); err != nil {
		t.Fatal(err)
	}
	return class.Hash()
}

// project is a tree around the file of one module.
func project(name string, module []string, text []byte) fstest.MapFS {
	files := fstest.MapFS{
		"Scarb.toml": {Data: fmt.Appendf(nil, "[package]\nname = %q\nversion = \"0.1.0\"\n[dependencies]\nstarknet = \">=2.8.0\"\n[[target.starknet-contract]]\n", name)},
		"Scarb.lock": {Data: fmt.Appendf(nil, "version = 1\n[[package]]\nname = %q\nversion = \"0.1.0\"\n", name)},
	}
	path, folder := "src/lib", "src"
	for _, m := range module {
		files[path+".cairo"] = &fstest.MapFile{Data: []byte("pub mod " + m + ";\n")}
		path = folder + "/" + m
		folder = path
	}
	files[path+".cairo"] = &fstest.MapFile{Data: text}
	return files
}

// references are the trees whose class hashes others computed with the native
// compiler.
var references = []struct {
	file, name, contract string
	module               []string
	hash                 string
}{
	{"hello_starknet.cairo", "cairo_level_tests", "hello_starknet", []string{"contracts", "hello_starknet"}, "0x75f923d6269a281cc34fcf4c48de14b51e621e7f901771ae33e97b093951dd8"},
	{"minimal_contract.cairo", "cairo_level_tests", "minimal_contract", []string{"contracts", "minimal_contract"}, "0x42ccc62722a1ec39eed7c9522e42ead655859cb984f93070317cde724051703"},
	{"u96.cairo", "test_u96", "test_u96", nil, "0x2875fd8a61e0fbeed2e78a0a060778c9af9feeea8105ab7d9ed7c277e27e36d"},
	{"call.cairo", "katana_misc", "CallTest", nil, "0x470e36adf25142a2f18447919b75031a4c6b4ae8edae030075a25122420e90d"},
}

// allClasses reports whether long tests compile everything.
func allClasses() bool {
	return os.Getenv("ASTROLABE_ALL_CLASSES") == "1" || os.Getenv("ASTROLABE_SOAK") == "1"
}

func TestSandboxedClassesHashAsTheNativeCompilersDo(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "..", "shared", "data", "cairo")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the reference sources are not part of the repository, and not beside it: %v", err)
	}
	cases := references
	if !allClasses() {
		cases = cases[:1]
	}
	compiler := openWasm(t, sandboxtest.Open(t))
	for _, reference := range cases {
		text, err := os.ReadFile(filepath.Join(folder, reference.file))
		if err != nil {
			t.Fatal(err)
		}
		path := strings.Join(slices.Concat([]string{reference.name}, reference.module, []string{reference.contract}), "::")
		packed, p := pack(t, project(reference.name, reference.module, text), reference.name, path)
		if got := hash(t, compiler, packed, p); got != starknet.MustFelt(reference.hash) {
			t.Errorf("%s: got class hash %s, want %s as of the native compiler", reference.file, got, reference.hash)
		}
	}
}

// bankHash is the class hash of testdata/bank.txtar, as this compiler gives it.
var bankHash = starknet.MustFelt("0x832f2af14cef6713c4e438a332f90e256ff4f27dbdfbf18101a77404f54f28")

// TestRebuildsGiveOneClass builds a tree that was written in a folder and an order
// of its own, by a user of the sandbox of its own; several times when ASTROLABE_SOAK
// is set.
func TestRebuildsGiveOneClass(t *testing.T) { //nolint:paralleltest // it opens sandboxes, which measure the host
	rebuilds := 1 // it takes 20 s, and bankHash is what earlier ones gave
	if os.Getenv("ASTROLABE_SOAK") == "1" {
		rebuilds = 100
	}
	options := cairotest.Sandboxed(t)
	_ = sandboxtest.Open(t) // skips without one
	var first []byte
	for i := range rebuilds {
		box, err := sandbox.Open(t.Context(), sandbox.Options{User: sandbox.DefaultUser + 1 + uint32(i%3)})
		if err != nil {
			t.Fatal(err)
		}
		compiler, err := build.OpenWasm(t.Context(), box, options, sandbox.BuildLimits)
		if err != nil {
			t.Fatal(err)
		}
		packed, p := pack(t, os.DirFS(written(t, bank(t), i)), "bank", vault)
		output, err := compiler.Compile(t.Context(), packed, p)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = output.Class
		}
		if !bytes.Equal(output.Class, first) {
			t.Errorf("rebuild %d: got another class of %d bytes, want the first of %d", i, len(output.Class), len(first))
		}
	}
	var class starknet.SierraClass
	if err := json.Unmarshal(first, &class); err != nil || class.Hash() != bankHash {
		t.Errorf("got the class hash %s, %v, want %s", class.Hash(), err, bankHash)
	}
}

// written writes a tree into a new folder, with the files in an order of its own.
func written(t *testing.T, files fstest.MapFS, order int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", order%7+1))
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for i := range names {
		name := names[(i*3+order)%len(names)]
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, files[name].Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSourcesThatCannotBeBuiltAreRefusedInTheSandbox(t *testing.T) {
	t.Parallel()
	compiler := openWasm(t, sandboxtest.Open(t))
	if got, want := compiler.Toolchain(), toolchain.WasmIdentity(); got.Name != want.Name || got.Version != want.Version || got.Digest != "sha256:"+want.Digest {
		t.Errorf("the toolchain: got %v, want %v", got, want)
	}
	nothing := func(*verify.Package) {}
	tests := []struct {
		name   string
		tree   func(fstest.MapFS)
		change func(*verify.Package)
		code   verify.FailureCode
		part   string
	}{
		{"another artifactId", func(fstest.MapFS) {}, func(p *verify.Package) { p.ArtifactID = "x" }, verify.BuildFailed, toolchain.ArtifactID("bank", vault)},
		{"another contract", func(fstest.MapFS) {}, func(p *verify.Package) { p.ModulePath = "bank::Vault" }, verify.BuildFailed, vault},
		{"an edition", func(f fstest.MapFS) {
			f["Scarb.toml"].Data = bytes.Replace(f["Scarb.toml"].Data, []byte("version"), []byte("edition = \"2024_07\"\nversion"), 1)
		}, nothing, verify.UnsupportedToolchain, "2024_07"},
		{"a missing file", func(f fstest.MapFS) { delete(f, "src/math/checked.cairo") }, nothing, verify.BuildFailed, "src/math/checked.cairo"},
		{"no lock file", func(f fstest.MapFS) { delete(f, "Scarb.lock") }, nothing, verify.LockfileMissing, "Scarb.lock"},
		{"a script", func(f fstest.MapFS) { f["Scarb.toml"].Data = append(f["Scarb.toml"].Data, "[scripts]\nx = \"y\"\n"...) }, nothing, verify.SourceRejected, "scripts"},
	}
	for _, test := range tests {
		files := bank(t)
		test.tree(files)
		packed, p := pack(t, files, "bank", vault)
		test.change(&p)
		output, err := compiler.Compile(t.Context(), packed, p)
		failure, ok := errors.AsType[*verify.Failure](err)
		if !ok || failure.Code != test.code || !strings.Contains(failure.Message, test.part) || output.Class != nil {
			t.Errorf("%s: got %v, want %s with %q and no class", test.name, err, test.code, test.part)
		}
	}
	packed, p := pack(t, bank(t), "bank", vault)
	p.UploadDigest = "sha256:00"
	_, err := compiler.Compile(t.Context(), packed, p)
	if _, decided := errors.AsType[*verify.Failure](err); err == nil || decided {
		t.Errorf("another archive than the package's: got %v, want an error that decides nothing", err)
	}
}

func TestBuildOverItsLimitIsRefused(t *testing.T) {
	t.Parallel()
	limits := sandbox.BuildLimits
	limits.CPU = 3 * time.Second
	compiler, err := build.OpenWasm(t.Context(), sandboxtest.Open(t), cairotest.Sandboxed(t), limits)
	if err != nil {
		t.Fatal(err)
	}
	packed, p := pack(t, bank(t), "bank", vault)
	output, err := compiler.Compile(t.Context(), packed, p)
	failure, ok := errors.AsType[*verify.Failure](err)
	if !ok || failure.Code != verify.BuildLimitExceeded || !strings.Contains(failure.Message, "3 s of CPU time") || output.Duration <= 0 {
		t.Errorf("got %v, want %s that names the limit", err, verify.BuildLimitExceeded)
	}
}

func TestBuildEndsWithItsContext(t *testing.T) {
	t.Parallel()
	compiler := openWasm(t, sandboxtest.Open(t))
	packed, p := pack(t, bank(t), "bank", vault)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := compiler.Compile(ctx, packed, p)
	if _, decided := errors.AsType[*verify.Failure](err); decided || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v, which decides nothing", err, context.DeadlineExceeded)
	}
}

func TestChangedMachineCodeIsNotExecuted(t *testing.T) {
	t.Parallel()
	box, options := sandboxtest.Open(t), cairotest.Sandboxed(t)
	compiler, err := build.OpenWasm(t.Context(), box, options, sandbox.BuildLimits)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(options.CacheDir, "*", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the machine code: got %q, %v, want a file", files, err)
	}
	for _, file := range files { // one for each version of the runtime that has translated it here
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code[len(code)/2] ^= 1
		if err := os.WriteFile(file, code, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed, p := pack(t, bank(t), "bank", vault)
	_, err = compiler.Compile(t.Context(), packed, p)
	if _, decided := errors.AsType[*verify.Failure](err); err == nil || decided || !strings.Contains(err.Error(), toolchain.ErrForeignCache.Error()) {
		t.Errorf("got %v, want %v, which decides nothing", err, toolchain.ErrForeignCache)
	}
}

func TestRejectedSourceNamesTheFile(t *testing.T) {
	t.Parallel()
	if !allClasses() {
		t.Skip("ASTROLABE_ALL_CLASSES=1 compiles it")
	}
	files := bank(t)
	files["src/math/checked.cairo"].Data = bytes.Replace(files["src/math/checked.cairo"].Data, []byte("a + b\n"), []byte("a + c\n"), 1)
	packed, p := pack(t, files, "bank", vault)
	output, err := openWasm(t, sandboxtest.Open(t)).Compile(t.Context(), packed, p)
	failure, ok := errors.AsType[*verify.Failure](err)
	if !ok || failure.Code != verify.BuildFailed || !strings.Contains(failure.Message, "src/math/checked.cairo:5: ") || !strings.Contains(output.LogTail, "checked.cairo:5") {
		t.Errorf("got %v with the log %q, want %s at line 5 of src/math/checked.cairo", err, output.LogTail, verify.BuildFailed)
	}
}
