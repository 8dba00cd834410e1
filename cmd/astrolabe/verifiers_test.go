package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"astrolabe/cmd/astrolabe/child"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	verifystore "astrolabe/repo/verify"
	"astrolabe/sim"
)

// TestTheAdvisedRollbackLeadsFromTheDemoToANode does what the program prints, word
// by word. The node is a simulated one, whose receipts are demo receipts.
func TestTheAdvisedRollbackLeadsFromTheDemoToANode(t *testing.T) {
	t.Parallel()
	if !child.Supported {
		t.Skip("contracts are verified on Linux only")
	}
	data := filepath.Join(pgtest.Dir(t), "data")
	simulating := start(t, nil, append([]string{"up", "--data", data, "--poll", "100ms"}, anyPort...)...)
	base := simulating.ready(t)
	key := readDemo(t, data).Keys["read"]
	for _, chain := range []string{"SN_MAIN", "SN_SEPOLIA"} {
		simulating.until(t, chain+" is followed", func() bool {
			return strings.Contains(get(t, base+"/v1/"+chain+"/status", keyHeader, key), `"state":"following"`)
		})
	}
	simulating.signsFor(t, base, key, receipt.Demo)
	simulating.stop(t)

	_, url := repotest.Serve(t, sim.Config{Blocks: 30, Seed: 9})
	follow := append([]string{"up", "--data", data, "--poll", "100ms", "--node-main", url}, anyPort...)
	refused := start(t, nil, follow...)
	refused.wait(t)
	_, commands, advised := strings.Cut(strings.TrimSpace(refused.text()), "run: ")
	if !advised || refused.cmd.ProcessState.ExitCode() != exitUsage {
		t.Fatalf("got exit code %d, want %d and the command to run:\n%s", refused.cmd.ProcessState.ExitCode(), exitUsage, refused.text())
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", commands)
	shell.Env = append(shell.Environ(), "PATH="+buildFolder+":/usr/bin:/bin")
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%s: got %v, want it to run:\n%s", commands, err, output)
	}
	following := start(t, nil, follow...)
	following.signsFor(t, following.ready(t), createKey(t, data), receipt.Demo)
	if strings.Contains(following.text(), string(receipt.WrongEnvironment)) {
		t.Errorf("got a controller that may not sign, want one that may:\n%s", following.text())
	}
}

// signsFor waits until a controller signs receipts for an environment.
func (p *program) signsFor(t *testing.T, base, key string, environment receipt.Environment) {
	t.Helper()
	p.until(t, "a controller signs", func() bool {
		return strings.Contains(get(t, base+"/v1/meta/capabilities", keyHeader, key), `"environment":"`+string(environment)+`"`)
	})
}

// TestAKeyOfTheDemoNeverSignsForARealChain has an index of the real chain and the
// key that signed for a simulated one.
func TestAKeyOfTheDemoNeverSignsForARealChain(t *testing.T) {
	t.Parallel()
	db, data := repotest.Open(t), t.TempDir()
	d := &deployment{db: &database{DB: db}}
	if _, err := db.Write().ExecContext(t.Context(), `INSERT INTO index_checkpoints (chain, first_block, simulated, genesis)
		VALUES (1, 0, false, '\x047c3637b57c2b079b93c61539950c17e868a28f46cdef28f88521067f21e943')`); err != nil {
		t.Fatal(err)
	}
	environment, err := d.environment(t.Context(), false)
	if environment != receipt.Production || err != nil {
		t.Errorf("got the environment %q, %v, want %s", environment, err, receipt.Production)
	}
	file := func(environment receipt.Environment) string {
		t.Helper()
		file, err := d.receiptKey(t.Context(), "", data, environment)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(file)
	}
	if got := file(receipt.Demo); got != "receipt-key.pem" {
		t.Errorf("before a key is registered: got %s, want receipt-key.pem", got)
	}
	key, err := signing.ReadFile(filepath.Join(data, "receipt-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifystore.NewAdmissions(db).RegisterKey(t.Context(), receipt.Key{
		ID: key.ID, PublicKey: key.Public(), Environment: receipt.Demo, NotBefore: time.Now(),
		Toolchain: receipt.Toolchain{Name: "cairo", Version: "1", Digest: "sha256:00"},
	}); err != nil {
		t.Fatal(err)
	}
	for environment, want := range map[receipt.Environment]string{receipt.Demo: "receipt-key.pem", receipt.Production: "receipt-key-production.pem"} {
		if got := file(environment); got != want {
			t.Errorf("%s: got the key in %s, want %s", environment, got, want)
		}
	}
	if other, err := signing.ReadFile(filepath.Join(data, "receipt-key-production.pem")); err != nil || other.ID == key.ID {
		t.Errorf("got the key %s and %v, want a new key", other.ID, err)
	}
}

// TestDatabaseURLsOfTheVerifiersAreReadFromFiles keeps their passwords out of the
// environment of up.
func TestDatabaseURLsOfTheVerifiersAreReadFromFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte("postgres://astrolabe_builder:secret@db/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := verifierSettings{BuilderDatabaseURLFile: file, ControllerDatabaseURL: "postgres://astrolabe_controller:secret@db/x"}
	builder, controller, err := (&deployment{db: &database{}}).roleURLs(t.Context(), settings)
	if err != nil || builder != "postgres://astrolabe_builder:secret@db/x" || controller != "postgres://astrolabe_controller:secret@db/x" {
		t.Errorf("got %q, %q and %v, want the URL of the file and that of the setting", builder, controller, err)
	}
}
