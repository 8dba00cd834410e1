package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"astrolabe/domain/verify"
)

func TestAnswersOfAnotherFormDecideNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{", "[]", `{"class":{}} {}`, `{"class":{},"failure":{"code":"build_failed","message":""}}`,
		`{"failure":{"code":"receipt_signing_failed","message":""}}`, `{"failure":{"code":"","message":""}}`,
	} {
		if a, err := parseAnswer([]byte(text)); err == nil {
			t.Errorf("%s: got %+v, want an error", text, a)
		}
	}
}

func TestLargeClassIsRefused(t *testing.T) {
	t.Parallel()
	a, err := parseAnswer([]byte(`{"class":"` + strings.Repeat("x", verify.MaxClass) + `"}`))
	if err != nil || a.Class != nil || a.Failure == nil || a.Failure.Code != verify.BuildLimitExceeded {
		t.Errorf("got %v and a class of %d bytes, want %s", err, len(a.Class), verify.BuildLimitExceeded)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"class":{"abi":""}}`))
	f.Add([]byte(`{"failure":{"code":"build_failed","message":"a\u0000\u001b[1m"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := parseAnswer(data)
		if err != nil || a.Failure == nil {
			return
		}
		if !slices.Contains(refused, a.Failure.Code) || len(a.Failure.Message) > maxMessage ||
			strings.ContainsFunc(a.Failure.Message, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			t.Errorf("got the failure %+v, want a known code and a bounded, printable message", a.Failure)
		}
	})
}

func FuzzReadArtefact(f *testing.F) {
	f.Add([]byte(`{"version":1,"contracts":[{"id":"a","package_name":"p","module_path":"p::C","artifacts":{"sierra":"c.json","casm":null}}]}`), []byte(`{"abi":[]}`))
	f.Add([]byte(`{"version":1,"contracts":[{"id":"a","artifacts":{"sierra":"../c.json"}}]}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, index, class []byte) {
		dir := t.TempDir()
		for name, content := range map[string][]byte{"t.starknet_artifacts.json": index, "c.json": class} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := readArtefact(dir, verify.Package{PackageName: "p", TargetName: "t", ModulePath: "p::C", ArtifactID: "a"})
		if _, refuses := refusal(err); refuses != nil {
			t.Errorf("got %v, want a class or a failure", err)
		}
		if err != nil && got != nil {
			t.Errorf("got a class with the error %v, want none", err)
		}
	})
}
