package account

import (
	"strings"
	"testing"
)

func TestEachIdentityHasItsOwnWorkspaceName(t *testing.T) {
	t.Parallel()
	names := map[string]Identity{}
	for _, i := range []Identity{
		{"https://a.example", "ada"}, {"https://a.example", "Ada"}, {"https://b.example", "ada"},
		{"https://a.example/", "ada"}, {"https://a.examplea", "da"}, {"https://a.example", strings.Repeat("x", 255)},
	} {
		name := i.Workspace()
		if before, taken := names[name]; taken {
			t.Errorf("got the name %[3]s for both %[1]v and %[2]v, want one each", before, i, name)
		}
		if err := checkWorkspaceName(name); err != nil || name != i.Workspace() {
			t.Errorf("%v has the name %q: got %v, want %q", i, name, err, i.Workspace())
		}
		names[name] = i
	}
}
