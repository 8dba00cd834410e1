package strictjson

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestRealBlocksAndClassesHaveACanonicalFormAndADigest(t *testing.T) {
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
			t.Errorf("%s: %v", file, err)
			continue
		}
		again, err := Canonical(canonical)
		if err != nil || !bytes.Equal(canonical, again) {
			t.Errorf("%s: the canonical form is not stable, %v", file, err)
		}
		before, err := Digest(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if after, err := Digest(canonical); err != nil || after != before {
			t.Errorf("%s: the canonical form has another digest, %v", file, err)
		}
	}
}
