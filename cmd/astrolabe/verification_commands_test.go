package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verificationSections are the sections of docs/verification.md whose commands are
// run, in this order, each with what a reader has done before.
var verificationSections = []struct{ heading, before string }{
	{"Trying it with the simulated chain", ""},
	{"# Contract verification", "KEY=$ASTROLABE_API_KEY\n"},
	{"Receipts and the trust root", `JOB=$(grep -o 'vrf_[a-z0-9]*' erc721_keyed.receipt.json)` + "\n"},
	{"Verifying a receipt", ""},
	{"The transparency log", "until curl -sf 'https://explorer.example/v1/verification/log/inclusion?receiptId=42' >/dev/null; do sleep 0.2; done\n"},
}

// unrunSections have commands that need root, or that build once more.
var unrunSections = map[string]bool{"Submitting a source tree": true, "Operating": true}

// verificationCommands returns the commands of docs/verification.md as one script.
func verificationCommands(t *testing.T) string {
	t.Helper()
	blocks := map[string]string{}
	for _, section := range strings.Split(readSource(t, "../../docs/verification.md"), "\n## ") {
		heading, _, _ := strings.Cut(section, "\n")
		blocks[heading] = strings.Join(shellBlocks(section), "")
	}
	var script strings.Builder
	for _, section := range verificationSections {
		if blocks[section.heading] == "" {
			t.Errorf("%s: got no commands, want some", section.heading)
		}
		script.WriteString(section.before + blocks[section.heading])
		delete(blocks, section.heading)
	}
	for heading, commands := range blocks {
		if commands != "" && !unrunSections[heading] {
			t.Errorf("%s: got commands that no test runs, want the section in verificationSections", heading)
		}
	}
	return script.String()
}

// runsTheCommandsOfTheGuide runs the commands of docs/verification.md in a folder,
// and leaves the files of the receipt there. Only what a reader has to replace is
// replaced. The program runs already.
func (s *simulated) runsTheCommandsOfTheGuide(t *testing.T, folder string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(folder, "examples/collection"), os.DirFS(exampleTree)); err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer(
		"export PATH=$PWD/bin:$PATH\n", "",
		"astrolabe up --data ./data &\n", "",
		"data/demo.json", filepath.Join(s.data, demoFile),
		"scripts/cairo", filepath.Join(root, "scripts/cairo"),
		"http://127.0.0.1:8080", s.base,
		"https://explorer.example", s.base,
		"./hello --output", "examples/collection --output",
		"--class 0x… --package hello --artifact-id … --module-path hello::Hello",
		"--class "+exampleClass+" --package erc721_keyed --artifact-id i3s5d4k3do170 --module-path erc721_keyed::Erc721Keyed",
		"receiptId=42", "receiptId=1",
		"--trust-root-digest sha256:…", `--trust-root-digest "sha256:$(sha256sum <trust-root.json | cut -c1-64)" --allow-demo`,
	).Replace(verificationCommands(t))
	if strings.Contains(script, "…") {
		t.Fatalf("got a placeholder that the test does not replace, want none:\n%s", script)
	}
	output := runShell(t, folder, script)
	for _, want := range []string{"state succeeded", "verification verified_exact", "treeSize 1", `"jobId":"vrf_`} {
		if !strings.Contains(output, want) {
			t.Errorf("got no %s in the output, want it:\n%s", want, tail(output, 6000))
		}
	}
}
