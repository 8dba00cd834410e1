package toolchain

import "testing"

// The first answer is the one that Scarb's own tests give.
func TestArtifactIDIsScarbsShortHash(t *testing.T) {
	t.Parallel()
	if got, want := shortHash("abcd"), "e1p6jp2ak1nmk"; got != want {
		t.Errorf("the hash of abcd: got %s, want %s", got, want)
	}
	if got, want := ArtifactID("hello", "hello::Hello"), shortHash("hello", "hello::Hello"); got != want {
		t.Errorf("the id of hello::Hello: got %s, want %s", got, want)
	}
	if ArtifactID("ab", "c") == ArtifactID("a", "bc") {
		t.Error("the ids of two contracts are equal, want the border between name and path in the hash")
	}
}
