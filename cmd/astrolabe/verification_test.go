package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain/verify/receipt/receipttest"
	"astrolabe/pg/pgtest"
	"astrolabe/toolchain/cairotest"
)

// The example contract, whose class the simulated chain has declared.
const (
	exampleTree  = "../../examples/collection"
	exampleClass = "0x15d976ab5bcdc8f6a2092a582cce3c252ebb1d781a7a9ecfda8a7c13987ee32"
)

// verifiesTheExample uses the builder, the controller and the client as a reader of
// docs/verification.md does. The unchanged tree gives a receipt that two verifiers
// accept; when ASTROLABE_SOAK is set, one changed character gives a mismatch.
func (s *simulated) verifiesTheExample(t *testing.T) {
	cairotest.Optional(t)
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("ASTROLABE_REQUIRE_SANDBOX") != "1" {
		t.Skip("this test needs bubblewrap")
	}
	c := client{t, s.base, s.demo.Keys["verify"], pgtest.Dir(t)}
	s.runsTheCommandsOfTheGuide(t, c.folder)
	files := filepath.Join(c.folder, "erc721_keyed")
	root := []string{"--trust-root", files + ".trust-root.unpinned.json"}
	verify := append([]string{"receipt", "verify", files + ".receipt.json"}, root...)
	c.want(3, "demo_key", verify...)
	c.want(0, "verification verified_exact", append(verify, "--inclusion", files+".inclusion.json", "--allow-demo")...)
	c.want(0, "treeSize 1", append([]string{"receipt", "audit", "--url", s.base, "--allow-demo"}, root...)...)
	if refused := receipttest.Verify(c.read(files+".receipt.json"), c.read(files+".trust-root.unpinned.json"), true); refused != "" {
		t.Errorf("second verifier: got %q, want the receipt accepted", refused)
	}
	record := get(t, s.base+"/v1/SN_MAIN/contract/"+s.demo.Samples.ERC721.String()+"/verification", keyHeader, c.key)
	if !strings.Contains(record, `"verification":"verified_exact"`) || !strings.Contains(record, `"classHash":"`+exampleClass+`"`) {
		t.Errorf("public record: got %s, want the class verified", record)
	}
	if !soak {
		return // another build takes 20 s
	}
	output := c.want(5, "state mismatch", "verify", "submit", c.changedTree())
	if produced := regexp.MustCompile(`(?m)^producedClassHash (0x[0-9a-f]+)$`).FindStringSubmatch(output); produced == nil || produced[1] == exampleClass {
		t.Errorf("got %s, want another class as producedClassHash", output)
	}
}

// compilerFor returns the environment by which "up" finds the Cairo compiler, if
// it was fetched, and the machine code of the compiler, which "up" itself produces
// when ASTROLABE_SOAK is set.
func compilerFor(t *testing.T) []string {
	t.Helper()
	compiler, err := filepath.Abs("../../toolchain/npm/node_modules/wasm-cairo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		return nil // verifiesTheExample says so
	}
	environment := []string{"ASTROLABE_CAIRO_WASM=" + compiler}
	if !soak {
		environment = append(environment, "ASTROLABE_COMPILER_CACHE="+filepath.Dir(cairotest.Sandboxed(t).CacheDir))
	}
	return environment
}

// client is a user of the client's commands.
type client struct {
	*testing.T
	url, key, folder string
}

// want runs a command, and returns what it printed.
func (c client) want(code int, text string, args ...string) string {
	c.Helper()
	if slices.Contains(args, "submit") {
		args = append(args, "--url", c.url, "--class", exampleClass, "--package", "erc721_keyed",
			"--artifact-id", "i3s5d4k3do170", "--module-path", "erc721_keyed::Erc721Keyed", "--output", c.folder)
	}
	p := start(c.T, []string{"ASTROLABE_API_KEY=" + c.key}, args...)
	<-p.ended
	if got := p.cmd.ProcessState.ExitCode(); got != code || !strings.Contains(p.text(), text) {
		c.Fatalf("%s: got exit code %d, want %d and %q:\n%s", strings.Join(args, " "), got, code, text, p.text())
	}
	return p.text()
}

// changedTree is the example with one changed character in a message.
func (c client) changedTree() string {
	c.Helper()
	tree := filepath.Join(c.folder, "changed")
	if err := os.CopyFS(tree, os.DirFS(exampleTree)); err != nil {
		c.Fatal(err)
	}
	file := filepath.Join(tree, "src", "lib.cairo")
	text := string(c.read(file))
	changed := strings.Replace(text, "invalid token ID", "invalid token Id", 1)
	if changed == text {
		c.Fatal("got no message to change in the example, want one")
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		c.Fatal(err)
	}
	return tree
}

func (c client) read(path string) []byte {
	c.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	return content
}
