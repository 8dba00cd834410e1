package oracle

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutation is a bug that is planted: one place of the source written otherwise.
type mutation struct {
	Bug  string `json:"bug"`
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// mutations are the bugs of testdata/mutations.json.
func mutations(t *testing.T) (list []mutation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "mutations.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// planted is set in the run that a bug was planted for.
const planted = "ASTROLABE_ORACLE_PLANTED"

// comparisons are the tests that compare the service with the model.
const comparisons = "TestTheServiceAnswersWhatTheModelSays|TestPrivacyAnswersEqualTheModelAtEveryBlock"

// noticed matches the failure of a comparison.
var noticed = regexp.MustCompile("--- FAIL: (" + comparisons + ") ")

// TestEveryPlantedBugIsNoticed builds the service with one bug at a time and
// requires that its answers differ from the model's. It runs when ASTROLABE_SOAK is set.
func TestEveryPlantedBugIsNoticed(t *testing.T) { //nolint:tparallel // Each bug is a build, which takes every core.
	t.Parallel()
	if os.Getenv(planted) != "" {
		t.Skip("this run has a bug planted already")
	}
	if !soak {
		t.Skip("building the service with each bug takes minutes: set ASTROLABE_SOAK=1")
	}
	for _, m := range mutations(t) {
		t.Run(strings.ReplaceAll(m.Bug, " ", "-"), func(t *testing.T) {
			out := m.run(t)
			if !noticed.MatchString(out) || !strings.Contains(out, "differs") && !strings.Contains(out, "got ") {
				t.Errorf("%s: got no failed comparison, want one:\n%s", m.Bug, out)
			}
		})
	}
}

// TestEveryMutationIsOfTheSource keeps the list true while the source changes.
func TestEveryMutationIsOfTheSource(t *testing.T) {
	t.Parallel()
	list := mutations(t)
	if len(list) < 10 {
		t.Errorf("got %d mutations, want at least 10", len(list))
	}
	for _, m := range list {
		m.source(t)
	}
}

// source returns the mutated file.
func (m mutation) source(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(m.File)))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), m.Old); n != 1 {
		t.Errorf("%s: got %q %d times in %s, want it once", m.Bug, m.Old, n, m.File)
	}
	return strings.Replace(string(text), m.Old, m.New, 1)
}

// run runs the comparison with the bug in place and returns what it prints.
func (m mutation) run(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, "mutated.go"), filepath.Join(dir, "overlay.json")
	original, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(m.File)))
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{mutated: m.source(t), overlay: string(replace)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-overlay", overlay, "-run", "^("+comparisons+")$", ".") //nolint:gosec // Our own paths.
	command.Env = append(os.Environ(), planted+"=1", "ASTROLABE_SOAK=")
	out, err := command.CombinedOutput()
	if err == nil {
		return "it passed"
	}
	return string(out)
}
