package flatten_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"astrolabe/toolchain/flatten"
)

// hello is a manifest that nothing is wrong with.
const hello = "[package]\nname = \"hello\"\nversion = \"1.0.0\"\n[dependencies]\nstarknet = \"2.8.2\"\n[[target.starknet-contract]]\n"

// contract is the shortest contract as far as flattening knows.
const contract = "#[starknet::contract]\nmod Hello {}\n"

var wanted = flatten.Package{Name: "hello", Target: "hello", ModulePath: "hello::Hello", Manifest: "Scarb.toml"}

// tree reads a txtar text. Without a manifest it gets the usual one.
func tree(text string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if files["Scarb.toml"] == nil {
		files["Scarb.toml"] = &fstest.MapFile{Data: []byte(hello)}
	}
	return files
}

func flat(t *testing.T, files fs.FS, p flatten.Package) string {
	t.Helper()
	source, err := flatten.Tree(files, p)
	if err != nil {
		t.Fatal(err)
	}
	return source.Text
}

func TestModulesAreWrittenWhereTheyAreDeclared(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, tree, want string }{
		{"one file", "-- src/lib.cairo --\n" + contract, contract},
		{"a module in a file", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\nconst A: u8 = 1;\n",
			"mod a {\nconst A: u8 = 1;\n\n}\n" + contract},
		{"nested files", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\nmod b;\n-- src/a/b.cairo --\nmod c;\n-- src/a/b/c.cairo --\n",
			"mod a {\nmod b {\nmod c {\n\n}\n\n}\n\n}\n" + contract},
		{"a file in an inline module", "-- src/lib.cairo --\nmod a { pub mod b; }\n" + contract + "-- src/a/b.cairo --\n//! Docs.\n",
			"mod a { pub mod b {\n//! Docs.\n\n} }\n" + contract},
		{"visibility, doc comments and white space", "-- src/lib.cairo --\n/// Says; mod x;\npub(crate) mod // why ;\n  a\t;\n" + contract + "-- src/a.cairo --\n",
			"/// Says; mod x;\npub(crate) mod // why ;\n  a\t {\n\n}\n" + contract},
		{"mod in strings and comments", "-- src/lib.cairo --\n// mod a;\nconst A: ByteArray = \"mod b; \\\" mod c;\"; const B: felt252 = 'mod d;'_felt252; // \"\n" + contract,
			"// mod a;\nconst A: ByteArray = \"mod b; \\\" mod c;\"; const B: felt252 = 'mod d;'_felt252; // \"\n" + contract},
		{"mod in a function", "-- src/lib.cairo --\nfn f() { mod x; }\n" + contract, "fn f() { mod x; }\n" + contract},
		{"names that begin with mod", "-- src/lib.cairo --\nuse modular; const modx: u8 = 0xmod; \n" + contract, "use modular; const modx: u8 = 0xmod; \n" + contract},
		{"a comment at the end of a file", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\n// end",
			"mod a {\n// end\n\n}\n" + contract},
		{"tests in a file that is missing", "-- src/lib.cairo --\n#[cfg(test)]\nmod tests;\n" + contract, "#[cfg(test)]\nmod tests;\n" + contract},
		{"contracts and files of tests", "-- src/lib.cairo --\n#[cfg( test )]\nmod tests { mod x; #[starknet::contract] mod Mock {} }\n" + contract,
			"#[cfg( test )]\nmod tests { mod x; #[starknet::contract] mod Mock {} }\n" + contract},
		{"the package's own name", "-- src/lib.cairo --\nuse hello::a::A;\nfn f(x: u8) -> hello::a::B { a.hello(core::hello::X, super::hello::Y) }\n" + contract,
			"use crate::a::A;\nfn f(x: u8) -> crate::a::B { a.hello(core::hello::X, super::hello::Y) }\n" + contract},
		{"an item of the package's name", "-- src/lib.cairo --\nfn hello() { super::hello(); }\n" + contract, "fn hello() { super::hello(); }\n" + contract},
		{"an inner attribute, which Cairo does not have", "-- src/lib.cairo --\n#![x]\nmod a;\n" + contract + "-- src/a.cairo --\n", "#![x]\nmod a {\n\n}\n" + contract},
		{"an account contract", "-- src/lib.cairo --\n#[starknet::contract(account)]\nmod Hello {}\n", "#[starknet::contract(account)]\nmod Hello {}\n"},
		{"the package's name without a path", "-- src/lib.cairo --\nfn f(hello: u8) -> u8 { hello }\n" + contract, "fn f(hello: u8) -> u8 { hello }\n" + contract},
		{"a folder's mod.cairo", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\n1\n-- src/a/mod.cairo --\n2\n", "mod a {\n1\n\n}\n" + contract},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, flat(t, tree(test.tree), wanted)); diff != "" {
				t.Errorf("the flattened text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLineEndsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	files := tree("-- src/lib.cairo --\n")
	files["src/lib.cairo"].Data = []byte("mod a;\r\n" + contract)
	files["src/a.cairo"] = &fstest.MapFile{Data: []byte("// one\r\nconst A: u8 = 1;\r\n")}
	if diff := cmp.Diff("mod a {\n// one\r\nconst A: u8 = 1;\r\n\n}\r\n"+contract, flat(t, files, wanted)); diff != "" {
		t.Errorf("the flattened text (-want +got):\n%s", diff)
	}
}

func TestPackageOfAWorkspaceInheritsItsSettings(t *testing.T) {
	t.Parallel()
	files := tree("-- Scarb.toml --\n[workspace]\nmembers = [\"p\"]\n[workspace.package]\nedition = \"2023_01\"\n[workspace.dependencies]\nstarknet = \">=2.8.0\"\n" +
		"-- p/Scarb.toml --\n[package]\nname = \"hello\"\nedition.workspace = true\n[dependencies]\nstarknet.workspace = true\n[[target.starknet-contract]]\nname = \"other\"\n" +
		"-- p/src/lib.cairo --\nmod a;\n-- p/src/a.cairo --\n" + contract)
	p := flatten.Package{Name: "hello", Target: "other", ModulePath: "hello::a::Hello", Manifest: "p/Scarb.toml"}
	if diff := cmp.Diff("mod a {\n"+contract+"\n}\n", flat(t, files, p)); diff != "" {
		t.Errorf("the flattened text (-want +got):\n%s", diff)
	}
}

func TestLinesLeadBackToTheirFiles(t *testing.T) {
	t.Parallel()
	source, err := flatten.Tree(tree("-- src/lib.cairo --\n// one\nmod a;\n"+contract+"-- src/a.cairo --\nmod b;\n// two\n-- src/a/b.cairo --\n\n// two\n"), wanted)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"src/lib.cairo 1", "src/lib.cairo 2", "src/a.cairo 1", "src/a/b.cairo 1", "src/a/b.cairo 2", "src/a.cairo 1", "src/a.cairo 1", "src/a.cairo 2",
		"src/lib.cairo 2", "src/lib.cairo 2", "src/lib.cairo 3", "src/lib.cairo 4"}
	var got []string
	for line := 1; ; line++ {
		file, number := source.Origin(line)
		if file == "" {
			break
		}
		got = append(got, file+" "+string(rune('0'+number)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the origins of the lines of\n%s(-want +got):\n%s", source.Text, diff)
	}
}

// refused checks that a tree is refused with a code and a part of the message.
func refused(t *testing.T, files fs.FS, p flatten.Package, code flatten.Code, part string) {
	t.Helper()
	_, err := flatten.Tree(files, p)
	refusal, ok := errors.AsType[*flatten.Refusal](err)
	if !ok {
		t.Fatalf("got %v, want a refusal", err)
	}
	if refusal.Code != code || !strings.Contains(refusal.Message, part) {
		t.Errorf("got %v, want %s with %q", refusal, code, part)
	}
}

func TestSourcesThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tree string
		code       flatten.Code
		part       string
	}{
		{"no root", "", flatten.Failed, `"src/lib.cairo" is missing`},
		{"a missing file", "-- src/lib.cairo --\nmod a;\n" + contract, flatten.Failed, `"src/a.cairo" is missing`},
		{"another case", "-- src/lib.cairo --\nmod Vault;\n" + contract + "-- src/vault.cairo --\n", flatten.Failed, `has "src/vault.cairo"`},
		{"only mod.cairo", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a/mod.cairo --\n", flatten.Failed, `"src/a.cairo" is missing`},
		{"a module declared twice", "-- src/lib.cairo --\nmod a;\nmod a;\n" + contract + "-- src/a.cairo --\n", flatten.Failed, `"a" is declared twice`},
		{"a module in a file and inline", "-- src/lib.cairo --\nmod a;\nmod a {}\n" + contract + "-- src/a.cairo --\n", flatten.Failed, "line 2: the module"},
		{"a module that never ends", "-- src/lib.cairo --\nmod a\n" + contract + "-- src/a.cairo --\n", flatten.Failed, "followed by ; or {"},
		{"a file that closes its module", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\n} mod b {\n", flatten.Failed, `"src/a.cairo" line 1: } has no opening bracket`},
		{"an open bracket", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\nfn f() {\n", flatten.Failed, "not closed in this file"},
		{"crossed brackets", "-- src/lib.cairo --\nfn f(a: [u8)]\n" + contract, flatten.Failed, "found ), expected ]"},
		{"an open string", "-- src/lib.cairo --\nmod a;\n" + contract + "-- src/a.cairo --\nconst A: ByteArray = \"x;\n", flatten.Failed, "no closing quote"},
		{"an open short string", "-- src/lib.cairo --\nconst A: felt252 = 'x\\';\n" + contract, flatten.Failed, "no closing quote"},
		{"a byte order mark", "-- src/lib.cairo --\n\ufeff" + contract, flatten.Failed, "byte order mark"},
		{"no UTF-8", "-- src/lib.cairo --\n// \xff\n" + contract, flatten.Failed, "not valid UTF-8"},
		{"a strange character", "-- src/lib.cairo --\n" + contract + "é\n", flatten.Failed, `line 3: the character "é"`},
		{"a cycle of names", "-- src/lib.cairo --\nmod lib;\n" + contract, flatten.Failed, `"src/lib/lib.cairo" is missing`},
		{"a contract in a file of its own", "-- src/lib.cairo --\n#[starknet::contract]\nmod Hello;\n-- src/Hello.cairo --\n", flatten.Unsupported, `"starknet::contract"`},
		{"a file in a module of a contract", "-- src/lib.cairo --\n#[starknet::contract]\nmod Hello { mod a { mod b; } }\n-- src/Hello/a/b.cairo --\n", flatten.Unsupported, "Move it there"},
		{"a file in a contract", "-- src/lib.cairo --\n#[starknet::contract]\nmod Hello { mod a; }\n-- src/Hello/a.cairo --\n", flatten.Unsupported, "Move it there"},
		{"a feature", "-- src/lib.cairo --\n#[cfg(feature: 'x')]\nmod a;\n" + contract, flatten.Unsupported, "line 1: only the attribute cfg(test)"},
		{"a condition in a trait", "-- src/lib.cairo --\ntrait T { #[cfg(target: \"lib\")] fn f(); }\n" + contract, flatten.Unsupported, "cfg(test)"},
		{"a condition of two parts", "-- src/lib.cairo --\n#[cfg(test, x)]\nfn f() {}\n" + contract, flatten.Unsupported, "cfg(test)"},
		{"no contract", "-- src/lib.cairo --\nmod Hello {}\n", flatten.Failed, "no contract"},
		{"only a contract for tests", "-- src/lib.cairo --\n#[cfg(test)]\n" + contract, flatten.Failed, "no contract"},
		{"two contracts", "-- src/lib.cairo --\n" + contract + "mod a;\n-- src/a.cairo --\n" + contract, flatten.Unsupported, "hello::Hello, hello::a::Hello"},
		{"another contract", "-- src/lib.cairo --\nmod a;\n-- src/a.cairo --\n" + contract, flatten.Failed, `It has "hello::a::Hello"`},
		{"an ambiguous name", "-- src/lib.cairo --\nmod hello { mod a {} }\nuse hello::a;\n" + contract, flatten.Unsupported, `Begin the path with "crate"`},
		{"an ambiguous import", "-- src/lib.cairo --\nmod a { use super::b::{c, hello}; fn f() { hello::g(); } }\n" + contract, flatten.Unsupported, `"crate"`},
		{"nesting without end", "-- src/lib.cairo --\n" + strings.Repeat("mod a {", 70) + strings.Repeat("}", 70) + contract, flatten.Failed, "64 levels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, tree(test.tree), wanted, test.code, test.part)
		})
	}
}

// TestPathsThatMayMeanSomethingElseAreRefused uses the package's name at the
// head of a path, and in another place that may give it to something else.
func TestPathsThatMayMeanSomethingElseAreRefused(t *testing.T) {
	t.Parallel()
	for _, other := range []string{
		"mod hello {}", "fn hello() {}", "struct hello {}", "extern type hello;", "impl hello of T {}", "impl hello = a::B;",
		"use a::b as hello;", "use a::{b as hello};", "use a::hello;", "use a::{b, hello};",
		"#[generate_trait]\nimpl I of hello { fn g() {} }", "#[embeddable_as(hello)]\nimpl A of T {}", "#[x(a: hello)] fn f() {}", "#[derive(hello)] struct S {}",
		"component!(path: a::b, storage: hello, event: E);", "#[storage] struct Storage { hello: u8 }", "fn f<impl hello: T>() {}", "fn f<hello>() {}", "fn f(hello: u8) {}",
	} {
		t.Run(other, func(t *testing.T) {
			t.Parallel()
			refused(t, tree("-- src/lib.cairo --\nmod m { "+other+"\nfn f() { hello::g() } }\n"+contract), wanted, flatten.Unsupported, "Begin the path with \"crate\"")
			flat(t, tree("-- src/lib.cairo --\nmod m { "+other+"\nfn f() { crate::g() } }\n"+contract), wanted)
		})
	}
	refused(t, tree("-- src/lib.cairo --\n#[x(hello::y)]\nfn f() {}\n"+contract), wanted, flatten.Unsupported, "\"crate\"")
}

// TestNamesOfGeneratedCodeAreNotTakenForThePackage uses names such as
// IHelloDispatcher, which no file has.
func TestNamesOfGeneratedCodeAreNotTakenForThePackage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"IHelloDispatcher", "__external"} {
		p := flatten.Package{Name: name, Target: name, ModulePath: name + "::Hello", Manifest: "Scarb.toml"}
		files := tree("-- Scarb.toml --\n" + strings.Replace(hello, "hello", name, 1) + "-- src/lib.cairo --\nfn f() { " + name + "::g() }\n" + contract)
		refused(t, files, p, flatten.Unsupported, "generated code")
	}
}

// TestTheCompilersOwnNameIsRefused uses the name by which the compiler calls
// every package: there it means the package, for Scarb nothing.
func TestTheCompilersOwnNameIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"fn f() { astro::g() }", "mod astro {}", "use a::astro;", "#[embeddable_as(astro)] impl A of T {}"} {
		refused(t, tree("-- src/lib.cairo --\nmod a;\n"+contract+"-- src/a.cairo --\n"+text), wanted, flatten.Unsupported, `"src/a.cairo" line 1: the name "astro"`)
	}
	flat(t, tree("-- src/lib.cairo --\nconst A: felt252 = 'astro'; // astro::x\n"+contract), wanted)
	p := flatten.Package{Name: "astro", Target: "astro", ModulePath: "astro::Hello", Manifest: "Scarb.toml"}
	flat(t, tree("-- Scarb.toml --\n"+strings.Replace(hello, "hello", "astro", 1)+"-- src/lib.cairo --\nfn f() { astro::g() }\n"+contract), p)
}

func TestSettingsThatChangeTheClassAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, manifest string
		code           flatten.Code
		part           string
	}{
		{"another edition", strings.Replace(hello, "version", "edition = \"2024_07\"\nversion", 1), flatten.Unsupported, "2023_01 only"},
		{"another Cairo", strings.Replace(hello, "version", "cairo-version = \"2.9\"\nversion", 1), flatten.Unsupported, "2.8.2"},
		{"no core", strings.Replace(hello, "version", "no-core = true\nversion", 1), flatten.Unsupported, "no-core"},
		{"experiments", strings.Replace(hello, "version", "experimental-features = [\"coupons\"]\nversion", 1), flatten.Unsupported, "experimental"},
		{"another name", strings.Replace(hello, "hello", "bye", 1), flatten.Failed, `"bye"`},
		{"another starknet", strings.Replace(hello, "2.8.2", "2.9.1", 1), flatten.Unsupported, "a starknet other than"},
		{"starknet by path", strings.Replace(hello, "\"2.8.2\"", "{ path = \"x\" }", 1), flatten.Unsupported, "a starknet other than"},
		{"no starknet", strings.Replace(hello, "starknet = \"2.8.2\"", "", 1), flatten.Failed, "does not depend on starknet"},
		{"a dependency", strings.Replace(hello, "starknet =", "lib = { path = \"lib\" }\nstarknet =", 1), flatten.Unsupported, `"lib"`},
		{"macros", strings.Replace(hello, "starknet =", "assert_macros = \"2.8.2\"\nstarknet =", 1), flatten.Unsupported, `"assert_macros"`},
		{"another target", hello + "name = \"x\"\n", flatten.Failed, "no target"},
		{"another source", hello + "source-path = \"src/x.cairo\"\n", flatten.Failed, "source-path"},
		{"no Sierra", hello + "sierra = false\n", flatten.Failed, "sierra = false"},
		{"foreign contracts", hello + "build-external-contracts = [\"a::B\"]\n", flatten.Unsupported, "build-external-contracts"},
		{"another kind", hello + "[[target.dojo]]\n", flatten.Unsupported, `"dojo"`},
		{"inlining", hello + "[cairo]\ninlining-strategy = \"avoid\"\n", flatten.Unsupported, "inlining-strategy"},
		{"inlining of the profile", hello + "[profile.release.cairo]\ninlining-strategy = \"avoid\"\n", flatten.Unsupported, "profile.release.cairo"},
		{"a profile that inherits", hello + "[profile.release]\ninherits = \"dev\"\n[profile.dev.cairo]\ninlining-strategy = \"avoid\"\n", flatten.Unsupported, `"inherits" of [profile.release]`},
		{"an unknown setting of the profile", hello + "[profile.release]\nmagic = 1\n", flatten.Unsupported, `"magic" of [profile.release]`},
		{"an unknown setting", hello + "[cairo]\nmagic = 1\n", flatten.Unsupported, "magic"},
		{"features", hello + "[features]\nx = []\n", flatten.Unsupported, "[features]"},
		{"no TOML", "[", flatten.Failed, "not valid TOML"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, tree("-- Scarb.toml --\n"+test.manifest+"-- src/lib.cairo --\n"+contract), wanted, test.code, test.part)
		})
	}
}

// TestSettingsOfAWrongTypeAreRefused has values that would otherwise count as
// not set.
func TestSettingsOfAWrongTypeAreRefused(t *testing.T) {
	t.Parallel()
	field := func(text string) string { return strings.Replace(hello, "version", text+"\nversion", 1) }
	tests := []struct {
		name, manifest string
		code           flatten.Code
		part           string
	}{
		{"an array of tables", hello + "[[cairo]]\ninlining-strategy = \"avoid\"\n", flatten.Failed, "cairo must be a table"},
		{"a number of features", "features = 3\n" + hello, flatten.Failed, "features must be a table"},
		{"an edition that nothing sets", field("edition.workspace = true"), flatten.Failed, "inherits edition"},
		{"a version that nothing sets", field("cairo-version.workspace = true"), flatten.Failed, "inherits cairo-version"},
		{"an edition that is not inherited", field("edition.workspace = false"), flatten.Failed, "package.edition must be a text or workspace = true"},
		{"an edition with more", field("edition = { workspace = true, x = 1 }"), flatten.Failed, "package.edition"},
		{"an edition as a number", field("edition = 202407"), flatten.Failed, "package.edition"},
		{"a version as a number", field("cairo-version = 2"), flatten.Failed, "package.cairo-version"},
		{"no-core as a text", field("no-core = \"true\""), flatten.Failed, "package.no-core must be true or false"},
		{"experiments as a text", field("experimental-features = \"x\""), flatten.Failed, "a list of texts"},
		{"a profile as a text", "profile.release = \"x\"\n" + hello, flatten.Failed, "profile.release must be a table"},
		{"settings of a profile as a list", hello + "[[profile.release.cairo]]\n", flatten.Failed, "profile.release.cairo"},
		{"a target that is no array", strings.Replace(hello, "[[target.starknet-contract]]", "[target.starknet-contract]", 1), flatten.Failed, "array of tables"},
		{"Sierra as a text", hello + "sierra = \"false\"\n", flatten.Failed, "sierra of a target"},
		{"foreign contracts as a text", hello + "build-external-contracts = \"a::B\"\n", flatten.Failed, "build-external-contracts of a target"},
		{"a feature of a target", hello + "features = 3\n", flatten.Unsupported, `"features" of a target`},
		{"an inherited dependency with more", strings.Replace(hello, "\"2.8.2\"", "{ workspace = true, x = 1 }", 1), flatten.Unsupported, "a starknet other than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			refused(t, tree("-- Scarb.toml --\n"+test.manifest+"-- src/lib.cairo --\n"+contract), wanted, test.code, test.part)
		})
	}
}

func TestSettingsOfTheWorkspaceAreChecked(t *testing.T) {
	t.Parallel()
	p := flatten.Package{Name: "hello", Target: "hello", ModulePath: "hello::Hello", Manifest: "p/Scarb.toml"}
	for _, settings := range []string{"[cairo]\ninlining-strategy = \"avoid\"\n", "[profile.release]\ninherits = \"dev\"\n"} {
		files := tree("-- Scarb.toml --\n[workspace]\nmembers = [\"p\"]\n" + settings + "-- p/Scarb.toml --\n" + hello + "-- p/src/lib.cairo --\n" + contract)
		refused(t, files, p, flatten.Unsupported, `"Scarb.toml": the setting`)
	}
}

func TestSettingsThatDoNotChangeTheClassAreAccepted(t *testing.T) {
	t.Parallel()
	manifest := strings.Replace(hello, "version", "edition = \"2023_01\"\ncairo-version = \">=2.7.0, <3\"\nversion", 1) +
		"casm = true\nallowed-libfuncs-list.name = \"all\"\n[lib]\n[cairo]\nsierra-replace-ids = true\nallow-warnings = true\n" +
		"[dev-dependencies]\ncairo_test = \"2.8.2\"\n[profile.dev.cairo]\ninlining-strategy = \"avoid\"\n[tool.fmt]\nx = 1\n"
	flat(t, tree("-- Scarb.toml --\n"+manifest+"-- src/lib.cairo --\n"+contract), wanted)
}

func TestRequirementsAreReadAsScarbReadsThem(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"2.8.2": true, "2.8.0": true, "^2.8.2": true, "2": true, "2.8": true, "2.*": true, "*": true, "~2.8": true, ">=2.8.2": true, "=2.8.2": true, "=2.8": true,
		">= 2.6, < 3": true, "<=2.8": true, ">2.7": true, ">=2.8.2-rc.1": true,
		"2.8.3": false, "=2.8.1": false, "~2.7": false, ">2.8": false, "<2.8.2": false, "3": false, "2.9.*": false, "0.5": false,
		"": false, "2.8.2 || 3": false, "latest": false, "2.8.2 - 2.9": false, "2.x": false, "v2.8.2": false,
	}
	for requirement, want := range tests {
		manifest := strings.Replace(hello, "2.8.2", requirement, 1)
		_, err := flatten.Tree(tree("-- Scarb.toml --\n"+manifest+"-- src/lib.cairo --\n"+contract), wanted)
		if got := err == nil; got != want {
			t.Errorf("starknet = %q: got met = %t, want %t", requirement, got, want)
		}
	}
}
