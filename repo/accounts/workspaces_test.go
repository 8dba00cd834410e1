package accounts

import (
	"strings"
	"sync"
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

func TestAWorkspaceIsFoundByNameAndId(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	made := p.workspace("acme")
	workspaces := account.NewWorkspaces(NewWorkspaces(p.db), p.now)
	for _, name := range []string{"acme", made.ID} {
		if found, err := workspaces.Find(t.Context(), name); err != nil || found != made {
			t.Errorf("%s: %+v, %v; want %+v", name, found, err, made)
		}
		if again, err := workspaces.Ensure(t.Context(), name, operator); err != nil || again != made {
			t.Errorf("got %+v and %v, want %+v", again, err, made)
		}
	}
	if _, err := workspaces.Find(t.Context(), "nobody"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown workspace: got %v, want %s", err, domain.CodeNotFound)
	}
	for _, name := range []string{"", " acme", "wsp_acme", "a\nb", strings.Repeat("x", 256)} {
		if _, err := workspaces.Ensure(t.Context(), name, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%q: got %v, want %s", name, err, domain.CodeInvalidRequest)
		}
	}
	p.workspace("beta")
	list, truncated, err := workspaces.List(t.Context(), 1)
	if err != nil || !truncated || len(list) != 1 || list[0] != made {
		t.Errorf("got %+v, truncated %v and %v, want %+v, truncated", list, truncated, err, made)
	}
}

func TestProcessesThatMakeOneNameShareTheWorkspace(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	ids := make([]string, 8)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() { ids[i] = p.workspace("acme").ID })
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("got the workspaces %v for one name, want one", ids)
		}
	}
	if n := p.audit("acme")[account.ActionWorkspaceCreated]; n != 1 {
		t.Errorf("got %d creations in the audit log, want 1", n)
	}
}
