package account

import "testing"

func TestAUseNamesTheKeyOrNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		caller *Caller
		want   Use
	}{
		{"a key", &Caller{Kind: ByKey, Workspace: "wsp_a", Subject: "abcdefghijkl"}, Use{Workspace: "wsp_a", PublicID: "abcdefghijkl"}},
		{"a session", &Caller{Kind: BySession, Workspace: "wsp_a", Subject: "ses_a"}, Use{Workspace: "wsp_a"}},
		{"a page", &Caller{Kind: ByFirstParty, Subject: "192.0.2.1"}, Use{}},
		{"nobody", nil, Use{}},
	} {
		if got := UseBy(c.caller); got != c.want {
			t.Errorf("%s gives %+v, want %+v", c.name, got, c.want)
		}
	}
}
