package source_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"astrolabe/domain/verify/archive"
	"astrolabe/domain/verify/source"
)

// load reads a tree of testdata.
func load(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	parsed, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{}
	for _, file := range parsed.Files {
		tree[file.Name] = &fstest.MapFile{Data: file.Data, Mode: 0o644}
	}
	return tree
}

// check packs a tree, reads the archive and checks it, as a job does.
func check(t testing.TB, tree fstest.MapFS, pkg, target string) (*source.Check, error) {
	t.Helper()
	var packed bytes.Buffer
	if err := archive.Pack(&packed, tree); err != nil {
		t.Fatal(err)
	}
	check := source.NewCheck()
	if err := archive.Read(&packed, check.Add); err != nil {
		return check, err
	}
	return check, check.Done(pkg, target)
}

func TestRealisticTreesAreAccepted(t *testing.T) {
	t.Parallel()
	for name, selected := range map[string][2]string{
		"single": {"counter", "counter"}, "workspace": {"vault_storage", "vault_contracts"}, "modules": {"dex", "periphery"},
	} {
		if _, err := check(t, load(t, name), selected[0], selected[1]); err != nil {
			t.Errorf("%s: got %v, want it accepted", name, err)
		}
		if _, err := check(t, load(t, name), "", ""); err != nil {
			t.Errorf("%s: got %v without a package, want it accepted", name, err)
		}
	}
}

func TestPackagesAreListedWithWhatTheyInherit(t *testing.T) {
	t.Parallel()
	checked, err := check(t, load(t, "workspace"), "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []source.Package{
		{Manifest: "apps/vault/Scarb.toml", Name: "vault", Version: "1.2.0", Edition: "2024_07", CairoVersion: "2.8.2", Targets: []string{"vault_contracts"}},
		{Manifest: "packages/math/Scarb.toml", Name: "vault_math", Version: "1.2.0"},
		{Manifest: "packages/storage/Scarb.toml", Name: "vault_storage", Version: "0.9.0"},
		{Manifest: "vendor/safe_cast/Scarb.toml", Name: "safe_cast", Version: "0.3.4"},
	}
	if diff := cmp.Diff(want, checked.Packages()); diff != "" {
		t.Errorf("got other packages than wanted (-want +got):\n%s", diff)
	}
}

// change is a tree of testdata with one fault.
type change struct {
	name       string
	tree       string
	file       string
	old, new   string // a replaced part; without old, new is appended
	code, want string
}

const (
	rejected    = "source_rejected"
	incomplete  = "incomplete_offline_material"
	unsupported = "unsupported_toolchain"
	missing     = "lockfile_missing"
)

var changes = []change{
	{"no manifest", "single", "Scarb.toml", "", "-", rejected, "no Scarb.toml at its root"},
	{"no lock file", "single", "Scarb.lock", "", "-", missing, "no Scarb.lock at its root"},
	{"manifest that is no TOML", "single", "Scarb.toml", "[package]", "[package", rejected, `"Scarb.toml" is not valid TOML at line 1`},
	{"manifest of a member that is no TOML", "workspace", "apps/vault/Scarb.toml", "", "\nx = ", rejected, `"apps/vault/Scarb.toml" is not valid TOML`},
	{"manifest of a stray package that is no TOML", "workspace", "packages/.drafts/Scarb.toml", "", "\n[[", rejected, "is not valid TOML"},
	{"duplicate key", "single", "Scarb.toml", "", "\n[package]\n", rejected, "is not valid TOML"},
	{"manifest that is not UTF-8", "single", "Scarb.toml", "MIT", "\xff", rejected, "is not valid TOML"},
	{"lock file that is no TOML", "single", "Scarb.lock", "version = 1", "version = ", rejected, `"Scarb.lock" is not valid TOML`},
	{"lock file without version", "single", "Scarb.lock", "version = 1", "", rejected, "has no version"},
	{"lock file of a later version", "single", "Scarb.lock", "version = 1", "version = 2", unsupported, "has version 2"},
	{"lock file with a package twice", "single", "Scarb.lock", "", "\n[[package]]\nname = \"counter\"\nversion = \"0.1.0\"\n", rejected, `"counter" twice`},
	{"lock file with a nameless package", "single", "Scarb.lock", "name = \"counter\"\n", "", rejected, "without a name"},
	{"lock file with a table of packages", "single", "Scarb.lock", "[[package]]", "[package]", rejected, `"package" must be an array of tables`},
	{"empty lock file", "single", "Scarb.lock", "\n[[package]]\nname = \"counter\"\nversion = \"0.1.0\"\n", "", rejected, "not current: it does not list the package \"counter\""},
	{"lock file with another version of a package", "workspace", "Scarb.lock", `version = "1.2.0"`, `version = "1.1.0"`, rejected, `lists "vault" "1.1.0", but "apps/vault/Scarb.toml" says "1.2.0"`},

	{"Git package in the lock file", "single", "Scarb.lock", "", "\n[[package]]\nname = \"oz\"\nversion = \"1.0.0\"\nsource = \"git+https://example.com/oz.git?tag=v1#3356bf0c\"\n", incomplete, `"oz" from "git+https://example.com/oz.git?tag=v1#3356bf0c"`},
	{"registry package in the lock file", "single", "Scarb.lock", "", "\n[[package]]\nname = \"oz\"\nversion = \"1.0.0\"\nsource = \"registry+https://scarbs.xyz/\"\nchecksum = \"sha256:00\"\n", incomplete, `"oz" from "registry+https://scarbs.xyz/"`},
	{"absolute path in the lock file", "single", "Scarb.lock", "", "\n[[package]]\nname = \"oz\"\nversion = \"1.0.0\"\nsource = \"path+file:///home/me/oz/Scarb.toml\"\n", incomplete, `"oz" from "path+file:`},
	{"standard source of a foreign package", "single", "Scarb.lock", "", "\n[[package]]\nname = \"oz\"\nversion = \"1.0.0\"\nsource = \"std\"\n", incomplete, `"oz" from "std"`},
	{"locked package that the tree lacks", "single", "Scarb.lock", "", "\n[[package]]\nname = \"oz\"\nversion = \"1.0.0\"\n", incomplete, `lists the package "oz"`},

	{"registry dependency", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = "1"`, incomplete, `depends on the package "oz" from the registry`},
	{"other registry", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = { version = "1", registry = "https://example.com/" }`, incomplete, "from a registry"},
	{"Git dependency", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = { git = "https://example.com/oz" }`, incomplete, "from Git"},
	{"branch", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = { git = "https://example.com/oz", branch = "main" }`, incomplete, "from Git"},
	{"tag", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = { git = "https://example.com/oz", tag = "v1" }`, incomplete, "from Git"},
	{"revision", "single", "Scarb.toml", `starknet = "2.8.2"`, `oz = { git = "https://example.com/oz", rev = "3356bf0c" }`, incomplete, "from Git"},
	{"Git and path", "modules", "Scarb.toml", `path = "./lib/codec"`, `path = "./lib/codec", git = "https://example.com/x"`, incomplete, "from Git"},
	{"development dependency", "single", "Scarb.toml", `cairo_test = "2.8.2"`, `snforge_std = "0.30.0"`, incomplete, `"snforge_std" from the registry`},
	{"inherited registry dependency", "workspace", "Scarb.toml", "[patch.scarbs-xyz]\nsafe_cast = { path = \"vendor/safe_cast\" }\n", "", incomplete, `"safe_cast" from the registry`},
	{"patch from Git", "workspace", "Scarb.toml", "safe_cast = { path = \"vendor/safe_cast\" }", "safe_cast = { git = \"https://example.com/x\" }", incomplete, `"safe_cast" from Git`},

	{"patch of another registry", "workspace", "Scarb.toml", "[patch.scarbs-xyz]", `[patch."https://example.com/"]`, incomplete, `"safe_cast" from the registry`},
	{"patch of a source that is no URL", "workspace", "Scarb.toml", "[patch.scarbs-xyz]", "[patch.scarbs_xyz]", incomplete, `"safe_cast" from the registry`},
	{"patch of the registry for a Git dependency", "workspace", "Scarb.toml", `safe_cast = "0.3"`, `safe_cast = { git = "https://example.com/x" }`, incomplete, `"safe_cast" from Git`},
	{"patch of the registry for another registry", "workspace", "Scarb.toml", `safe_cast = "0.3"`, `safe_cast = { version = "0.3", registry = "https://example.com/" }`, incomplete, `"safe_cast" from a registry`},

	{"path out of the tree", "modules", "Scarb.toml", "./lib/codec", "../codec", rejected, `"dependencies.dex_codec.path" is "../codec", which leads out`},
	{"path back into the tree by its name", "modules", "lib/codec/Scarb.toml", "", "\n[dependencies]\nx = { path = \"../../../dex\" }\n", rejected, "leads out"},
	{"absolute path", "modules", "Scarb.toml", "./lib/codec", "/lib/codec", rejected, "leads out"},
	{"backslashes", "modules", "Scarb.toml", "./lib/codec", `lib\\codec`, rejected, "leads out"},
	{"drive", "modules", "Scarb.toml", "./lib/codec", `C:/codec`, rejected, "leads out"},
	{"development path out of the tree", "modules", "Scarb.toml", "tests/fixtures", "../fixtures", rejected, "leads out"},
	{"path of the workspace out of the tree", "workspace", "Scarb.toml", `path = "packages/math"`, `path = "../math"`, rejected, `"workspace.dependencies.vault_math.path"`},
	{"patch out of the tree", "workspace", "Scarb.toml", "vendor/safe_cast", "../safe_cast", rejected, `"patch.safe_cast.path"`},
	{"member out of the tree", "workspace", "Scarb.toml", "packages/*", "../packages/*", rejected, `"workspace.members"`},
	{"source out of the tree", "modules", "Scarb.toml", "./tests/lib.cairo", "../tests/lib.cairo", rejected, `"test.source-path"`},
	{"license out of the tree", "single", "Scarb.toml", `license = "MIT"`, `license-file = "../LICENSE"`, rejected, `"package.license-file"`},
	{"read-me out of the tree", "workspace", "apps/vault/Scarb.toml", "../../README.md", "../../../README.md", rejected, `"package.readme"`},
	{"asset out of the tree", "single", "Scarb.toml", `license = "MIT"`, `assets = ["../x"]`, rejected, `"package.assets"`},
	{"list of functions out of the tree", "single", "Scarb.toml", `allowed-libfuncs-list.name = "experimental"`, `allowed-libfuncs-list.path = "/etc/passwd"`, rejected, `allowed-libfuncs-list.path`},
	{"stray package with a path out of the tree", "workspace", "packages/.drafts/Scarb.toml", "", "\n[dependencies]\nx = { path = \"../../../x\" }\n", rejected, "leads out"},
	{"path without a package", "modules", "Scarb.toml", "./lib/codec", "lib/missing", rejected, `the tree has no package there`},
	{"path of a folder of sources", "modules", "Scarb.toml", "./lib/codec", "src", rejected, `"src/Scarb.toml"`},
	{"dependency that the workspace lacks", "workspace", "Scarb.toml", `vault_math = { path = "packages/math" }`, "", rejected, `inherits the dependency "vault_math"`},
	{"two packages of one name", "workspace", "apps/vault/Scarb.toml", `name = "vault"`, `name = "vault_math"`, rejected, `both define the package "vault_math"`},
	{"workspace without members", "workspace", "Scarb.toml", `["packages/*", "apps/vault"]`, `["crates/*"]`, rejected, "no member of its workspace is in the tree"},
	{"malformed pattern", "workspace", "Scarb.toml", `packages/*`, `packages/[`, rejected, "is malformed"},
	{"very many members", "workspace", "Scarb.toml", `"packages/*", `, strings.Repeat(`"a", `, 256), rejected, "more than 256 entries"},

	{"build script", "single", "Scarb.toml", "", "\n[scripts]\nbuild = \"curl https://example.com\"\n", rejected, "has [scripts]"},
	{"test script", "single", "Scarb.toml", "", "\n[scripts]\ntest = \"snforge test\"\n", rejected, "has [scripts]"},
	{"script as dotted key", "single", "Scarb.toml", "[package]", "scripts.build = \"x\"\n[package]", rejected, "has [scripts]"},
	{"script of the workspace", "workspace", "Scarb.toml", "", "\n[workspace.scripts]\nbuild = \"x\"\n", rejected, "has [workspace.scripts]"},
	{"script of a stray package", "workspace", "packages/.drafts/Scarb.toml", "", "\n[scripts]\nbuild = \"x\"\n", rejected, "has [scripts]"},
	{"script of a tool", "single", "Scarb.toml", "", "\n[tool.dojo.scripts]\nbuild = \"x\"\n", rejected, `"tool.dojo.scripts"`},
	{"plugin", "single", "Scarb.toml", "", "\n[cairo-plugin]\n", rejected, "defines a Cairo plugin"},
	{"plugin as a target", "single", "Scarb.toml", "", "\n[[target.cairo-plugin]]\n", rejected, "defines a Cairo plugin"},
	{"plugin that claims to be built in", "single", "Scarb.toml", "", "\n[cairo-plugin]\nbuiltin = true\n", rejected, "defines a Cairo plugin"},
	{"plugin of a vendored package", "workspace", "vendor/safe_cast/Scarb.toml", "", "\n[cairo-plugin]\n", rejected, `"vendor/safe_cast/Scarb.toml" defines a Cairo plugin`},
	{"exported plugin", "single", "Scarb.toml", `license = "MIT"`, `re-export-cairo-plugins = ["x"]`, rejected, "re-exports Cairo plugins"},
	{"prebuilt plugins", "single", "Scarb.toml", "", "\n[tool.scarb]\nallow-prebuilt-plugins = [\"snforge_std\"]\n", rejected, "has [tool.scarb]"},
	{"prebuilt plugins of a profile", "single", "Scarb.toml", "", "\n[profile.release.tool.scarb]\nallow-prebuilt-plugins = [\"x\"]\n", rejected, "has [profile.release.tool.scarb]"},
	{"prebuilt plugins of the workspace", "workspace", "Scarb.toml", "", "\n[workspace.tool.scarb]\nallow-prebuilt-plugins = [\"x\"]\n", rejected, "has [workspace.tool.scarb]"},
	{"built-in package from Git", "single", "Scarb.toml", `starknet = "2.8.2"`, `starknet = { git = "https://example.com/x" }`, rejected, `replaces the built-in package "starknet"`},
	{"built-in package by path", "modules", "Scarb.toml", `starknet = { version = ">=2.6.0" }`, `starknet = { path = "lib/codec" }`, rejected, `replaces the built-in package "starknet"`},
	{"built-in package from another registry", "single", "Scarb.toml", `starknet = "2.8.2"`, `starknet = { version = "2", registry = "https://example.com/" }`, rejected, "replaces the built-in"},
	{"patch of the core library", "workspace", "Scarb.toml", "[patch.scarbs-xyz]", "[patch.scarbs-xyz]\ncore = { path = \"packages/math\" }", rejected, `replaces the built-in package "core"`},

	{"root package with a built-in name", "single", "Scarb.toml", `name = "counter"`, `name = "starknet"`, rejected, `"Scarb.toml" defines the package "starknet", but the toolchain has`},
	{"vendored package with a built-in name", "workspace", "vendor/safe_cast/Scarb.toml", `"safe_cast"`, `"core"`, rejected, `"vendor/safe_cast/Scarb.toml" defines the package "core"`},
	{"stray package with a built-in name", "workspace", "packages/.drafts/Scarb.toml", `"draft"`, `"assert_macros"`, rejected, `defines the package "assert_macros"`},
	{"dependency under another name", "modules", "Scarb.toml", "dex_codec = ", "codec = ", rejected, `depends on "codec" at "lib/codec/Scarb.toml", but the package there is "dex_codec"`},
	{"patch under another name", "workspace", "vendor/safe_cast/Scarb.toml", `"safe_cast"`, `"safer_cast"`, rejected, `but the package there is "safer_cast"`},

	{"package without a name", "single", "Scarb.toml", `name = "counter"`, "", rejected, `"package.name" must be the name`},
	{"dependencies as a list", "single", "Scarb.toml", "[dependencies]\n", "[[dependencies]]\n", rejected, `"dependencies" must be a table`},
	{"dependency as a number", "single", "Scarb.toml", `starknet = "2.8.2"`, "starknet = 2", rejected, `"dependencies.starknet" must be a table`},
	{"path as a number", "single", "Scarb.toml", `starknet = "2.8.2"`, "x = { path = 2 }", rejected, `"dependencies.x.path" must be a string`},
	{"inheritance as a string", "single", "Scarb.toml", `starknet = "2.8.2"`, `x = { workspace = "yes" }`, rejected, "must be true or false"},
	{"target as a table", "single", "Scarb.toml", "[[target.starknet-contract]]", "[target.starknet-contract]", rejected, "must be an array of tables"},
	{"members as a string", "workspace", "Scarb.toml", `["packages/*", "apps/vault"]`, `"packages/*"`, rejected, "must be an array of strings"},
	{"version as a number", "single", "Scarb.toml", `version = "0.1.0"`, "version = 1", rejected, `"package.version" must be a table`},
	{"large manifest", "single", "Scarb.toml", "", "\n#" + strings.Repeat("x", 128<<10), rejected, "at most 128 KiB"},
	{"large lock file", "single", "Scarb.lock", "", "\n#" + strings.Repeat("x", 512<<10), rejected, "at most 512 KiB"},
}

func TestEveryFaultOfATreeIsRejectedForItsReason(t *testing.T) {
	t.Parallel()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := load(t, c.tree)
			file := tree[c.file]
			switch text := string(file.Data); {
			case c.new == "-":
				delete(tree, c.file)
			case c.old == "":
				file.Data = []byte(text + c.new)
			case !strings.Contains(text, c.old):
				t.Fatalf("got no %q in %s, want it there", c.old, c.file)
			default:
				file.Data = []byte(strings.Replace(text, c.old, c.new, 1))
			}
			_, err := check(t, tree, "", "")
			fault, is := errors.AsType[*source.Error](err)
			if !is || fault.Code != c.code || !strings.Contains(fault.Message, c.want) {
				t.Fatalf("got %v, want %s with %q", err, c.code, c.want)
			}
			if strings.ContainsFunc(fault.Message, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("got the message %q, want only characters that can be printed safely", fault.Message)
			}
		})
	}
}

func TestPackageAndTargetMustBeInTheTree(t *testing.T) {
	t.Parallel()
	for selected, want := range map[[2]string]string{
		{"absent", "vault_contracts"}:    `no package "absent". Its packages are: "vault", "vault_math", "vault_storage", "safe_cast".`,
		{"draft", "vault_contracts"}:     `no package "draft"`,
		{"vault", "vault"}:               `no package of the workspace has a target "vault"`,
		{"vault", "vault_contracts\x1b"}: `target "vault_contracts\x1b" of kind starknet-contract. Such targets are: "vault_contracts".`,
	} {
		_, err := check(t, load(t, "workspace"), selected[0], selected[1])
		fault, is := errors.AsType[*source.Error](err)
		if !is || fault.Code != rejected || !strings.Contains(strings.ToLower(fault.Message), strings.ToLower(want)) {
			t.Errorf("got %v for %q, want source_rejected with %q", err, selected, want)
		}
	}
}

func TestPatchAppliesToTheSourceThatItNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dependency, patch string
		want              bool
	}{
		{`"0.3"`, `scarbs-xyz`, true},
		{`"0.3"`, `"https://scarbs.xyz/"`, true},
		{`{ version = "0.3", registry = "https://scarbs.xyz" }`, `scarbs-xyz`, true},
		{`{ version = "0.3", registry = "https://example.com/r" }`, `"https://example.com/r/"`, true},
		{`{ version = "0.3", registry = "https://example.com/r" }`, `"https://example.com/s"`, false},
		{`{ git = "https://example.com/x", tag = "v1" }`, `"https://example.com/x"`, true},
		{`{ git = "https://example.com/x.git", branch = "main" }`, `"HTTPS://Example.com/x/"`, true},
		{`{ git = "https://example.com/x" }`, `"https://example.com/X"`, false},
		{`{ git = "https://example.com/x" }`, `"https://example.com/y"`, false},
		{`{ git = "https://github.com/Owner/Casts" }`, `"https://github.com/owner/casts.git"`, true},
		{`{ git = "" }`, `""`, false},
		{`{ git = "casts" }`, `"casts"`, false},
		{`{ tag = "v1" }`, `""`, false},
	} {
		tree := load(t, "workspace")
		root := string(tree["Scarb.toml"].Data)
		root = strings.Replace(root, `safe_cast = "0.3"`, "safe_cast = "+c.dependency, 1)
		tree["Scarb.toml"].Data = []byte(strings.Replace(root, "[patch.scarbs-xyz]", "[patch."+c.patch+"]", 1))
		_, err := check(t, tree, "", "")
		if fault, is := errors.AsType[*source.Error](err); c.want && err != nil || !c.want && (!is || fault.Code != incomplete) {
			t.Errorf("got %v for safe_cast = %s with [patch.%s], want it patched: %v", err, c.dependency, c.patch, c.want)
		}
	}
}

func TestTargetMustBelongToTheRootPackageOrAMember(t *testing.T) {
	t.Parallel()
	tree := load(t, "workspace")
	vendored := tree["vendor/safe_cast/Scarb.toml"]
	vendored.Data = append(vendored.Data, "\n[[target.starknet-contract]]\nname = \"casts\"\n"...)
	_, err := check(t, tree, "safe_cast", "casts")
	want := `No package of the workspace has a target "casts" of kind starknet-contract. Such targets are: "vault_contracts".`
	if fault, is := errors.AsType[*source.Error](err); !is || fault.Code != rejected || !strings.Contains(fault.Message, want) {
		t.Errorf("got %v for the target of a dependency, want source_rejected with %q", err, want)
	}
	if _, err := check(t, tree, "safe_cast", "vault_contracts"); err != nil {
		t.Errorf("got %v for the target of a member, want it accepted", err)
	}
}

func TestManifestsTogetherAreBounded(t *testing.T) {
	t.Parallel()
	tree := load(t, "single")
	for i := range 17 {
		tree["many/"+strings.Repeat("x", i+1)+"/Scarb.toml"] = &fstest.MapFile{Data: []byte("#" + strings.Repeat("x", 128<<10-1))}
	}
	_, err := check(t, tree, "", "")
	if fault, is := errors.AsType[*source.Error](err); !is || !strings.Contains(fault.Message, "2 MiB together") {
		t.Errorf("got %v, want source_rejected for more than 2 MiB", err)
	}
}

func TestErrorOfTheContentIsNoFaultOfTheTree(t *testing.T) {
	t.Parallel()
	lost := errors.New("the connection was lost")
	err := source.NewCheck().Add(archive.File{Path: "Scarb.toml", Size: 1, Content: iotest.ErrReader(lost)})
	if _, fault := errors.AsType[*source.Error](err); !errors.Is(err, lost) || fault {
		t.Errorf("got %v, want the error of the content", err)
	}
}

func TestOtherFilesAreNotRead(t *testing.T) {
	t.Parallel()
	unread := iotest.ErrReader(io.ErrClosedPipe)
	for _, f := range []archive.File{{Path: "src/lib.cairo", Content: unread}, {Path: "lib/Scarb.lock", Content: unread}, {Path: "Scarb.toml", Dir: true, Content: unread}} {
		if err := source.NewCheck().Add(f); err != nil {
			t.Errorf("got %v for %s, want it unread", err, f.Path)
		}
	}
}

func FuzzManifestAndLock(f *testing.F) {
	for _, name := range []string{"single", "workspace", "modules"} {
		tree := load(f, name)
		f.Add(tree["Scarb.toml"].Data, tree["Scarb.lock"].Data)
	}
	f.Fuzz(func(t *testing.T, manifest, lock []byte) {
		check := source.NewCheck()
		for _, file := range []archive.File{
			{Path: "Scarb.lock", Size: int64(len(lock)), Content: bytes.NewReader(lock)},
			{Path: "Scarb.toml", Size: int64(len(manifest)), Content: bytes.NewReader(manifest)},
			{Path: "a/Scarb.toml", Size: int64(len(manifest)), Content: bytes.NewReader(manifest)},
		} {
			if err := check.Add(file); err != nil {
				safe(t, err)
				return
			}
		}
		if err := check.Done("a", "b"); err != nil {
			safe(t, err)
		}
		check.Packages()
	})
}

// safe checks that an error may be shown to the owner.
func safe(t *testing.T, err error) {
	t.Helper()
	fault, is := errors.AsType[*source.Error](err)
	if !is || len(fault.Message) > 2000 || strings.ContainsFunc(fault.Message, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("got %q, want an error with a message that is short and safe to print", err)
	}
}
