package accounts

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/repo/repotest"
)

func TestLoginIsUsedOnceByAllProcesses(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	states := account.NewLoginStates(NewLogins(p.db), p.ring, p.now)
	login, _, err := states.Begin("/docs", "verifier")
	if err != nil {
		t.Fatal(err)
	}
	var (
		group sync.WaitGroup
		first atomic.Int64
	)
	for range 8 {
		group.Go(func() {
			switch err := states.Use(t.Context(), login); {
			case err == nil:
				first.Add(1)
			case domain.CodeOf(err) != domain.CodeInvalidRequest:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := first.Load(); n != 1 {
		t.Errorf("got %d uses, want 1", n)
	}
}

func TestUsedLoginsAreForgottenWhenTheyExpire(t *testing.T) {
	t.Parallel()
	logins, now := NewLogins(repotest.Open(t)), time.Now()
	for i, expires := range []time.Time{now.Add(-time.Second), now.Add(time.Second)} {
		if first, err := logins.UseLogin(t.Context(), [32]byte{byte(i)}, expires); err != nil || !first {
			t.Fatalf("got %t and %v, want the first use", first, err)
		}
	}
	if forgotten, err := logins.ForgetLogins(t.Context(), now); err != nil || forgotten != 1 {
		t.Errorf("got %d forgotten and %v, want 1", forgotten, err)
	}
}
