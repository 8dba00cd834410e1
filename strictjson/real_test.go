package strictjson

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestRealBlocksAndClassesHaveACanonicalForm(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"blocks", "classes", "state_updates"} {
		found, err := filepath.Glob(filepath.Join("../../shared/data/real/SN_*", pattern, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("the folder of real chain data is absent")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := Canonical(data)
		if err != nil {
			t.Errorf("%s: got %v, want no error", file, err)
			continue
		}
		again, err := Canonical(canonical)
		if err != nil || !bytes.Equal(canonical, again) {
			t.Errorf("%s: got another form of the canonical form and %v, want the same", file, err)
		}
	}
}
