package account

import (
	"encoding/binary"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/domain"
)

func TestSignedBodyStaysWithinItsLimits(t *testing.T) {
	t.Parallel()
	body := func(numbers ...uint64) (b []byte) {
		for _, n := range numbers {
			b = binary.AppendUvarint(b, n)
		}
		return b
	}
	for name, c := range map[string]struct {
		body []byte
		want bool
	}{
		"nothing":                      {nil, false},
		"version 0":                    {body(0, 1, 1), false},
		"version 1":                    {body(1, 1, 1), true},
		"version 2":                    {body(2, 1, 1), false},
		"no generation":                {body(1), false},
		"the last generation":          {body(1, 1<<32-1, 1), true},
		"a generation over 32 bits":    {body(1, 1<<32, 1), false},
		"no expiry":                    {body(1, 1), false},
		"the last expiry":              {body(1, 1, 1<<62), true},
		"an expiry behind the last":    {body(1, 1, 1<<62+1), false},
		"an expiry that does not end":  {append(body(1, 1), 255), false},
		"a generation that never ends": {append(body(1), 255), false},
	} {
		if _, _, _, got := parseSigned(c.body); got != c.want {
			t.Errorf("%s: accepted %t, want %t", name, got, c.want)
		}
	}
}

func TestSignedTextHasAtMost512Characters(t *testing.T) {
	t.Parallel()
	now := time.Now()
	tokens := signer{kind: "svf", ring: newRing(t), now: func() time.Time { return now }}
	for length, want := range map[int]bool{511: true, 512: true, 514: false} { // base64 has no text of 509 characters
		text := tokens.sign(now.Add(time.Hour), "").Reveal()
		for payload := 0; len(text) < length; payload++ {
			text = tokens.sign(now.Add(time.Hour), strings.Repeat("x", payload)).Reveal()
		}
		if _, got := tokens.open(t.Context(), text); len(text) != length || got != want {
			t.Errorf("%d characters: accepted %t, want %d characters accepted %t", len(text), got, length, want)
		}
	}
}

func TestLoginExpiresAfterTenMinutesAndReturnPathHasAtMost200Characters(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	states := NewLoginStates(nil, newRing(t), func() time.Time { return now })
	login, token, err := states.Begin(strings.Repeat("x", 200), "verifier")
	if err != nil {
		t.Fatalf("a place of 200 characters: got %v, want no error", err)
	}
	if _, _, err := states.Begin(strings.Repeat("x", 201), "verifier"); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("a place of 201 characters: got %v, want %s", err, domain.CodeInvalidRequest)
	}
	now = now.Add(10*time.Minute - time.Second)
	if _, err := states.Resume(t.Context(), token.Reveal(), login.State); err != nil {
		t.Errorf("a second before its end: got %v, want no error", err)
	}
	now = now.Add(time.Second)
	if _, err := states.Resume(t.Context(), token.Reveal(), login.State); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("after ten minutes: got %v, want %s", err, domain.CodeInvalidRequest)
	}
}

func TestRateLimitIsPerSixtySecondsAndAtMostFiftyMillion(t *testing.T) {
	t.Parallel()
	rate := Rate{Heavy, 60}
	meter, _ := rate.Take(Meter{}, midnight, 60)
	if _, got := rate.Take(meter, midnight, 1); got.Allowed || got.RetryAfter != time.Second || got.Policy != "heavy;w=60" {
		t.Errorf("got %+v, want a denial of heavy;w=60 for 1s", got)
	}
	for budget, want := range map[int]int{49_999_999: 49_999_999, 50_000_000: 50_000_000, 50_000_001: 50_000_000} {
		if got := (&Caller{Budgets: Budgets{Heavy: budget}}).Budget(Heavy); got != want {
			t.Errorf("a budget of %d: got %d, want %d", budget, got, want)
		}
	}
	if (Decision{}).Budgeted() || !(Decision{Limit: 1}).Budgeted() {
		t.Errorf("budgeted without a limit %t and with a limit of 1 %t, want false and true", Decision{}.Budgeted(), Decision{Limit: 1}.Budgeted())
	}
}

func TestDefaultKeyCanBeIssuedTwentyTimesADay(t *testing.T) {
	t.Parallel()
	may := mayRotate(midnight.Add(23 * time.Hour))
	if err := may(19); err != nil {
		t.Errorf("the twentieth: got %v, want no error", err)
	}
	denial, ok := errors.AsType[*domain.Error](may(20))
	if !ok || denial.Code != domain.CodeRateLimited || denial.RetryAfter != time.Hour {
		t.Errorf("the twenty-first: got %+v, want %s until midnight", denial, domain.CodeRateLimited)
	}
}

// TestQueueOfOneMeterLeavesRoomForOthers fills one caller's share of
// the queue while a statement hangs.
func TestQueueOfOneMeterLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory(frozen)
		store.gate = make(chan struct{})
		quotas := NewQuotas(store, frozen)
		take := func(subject string) error {
			caller := &Caller{Kind: ByKey, Subject: subject, Budgets: Budgets{Light: 5000}}
			_, err := quotas.Take(t.Context(), caller, Light, 1)
			return err
		}
		var group sync.WaitGroup
		ask := func(subject string) {
			group.Go(func() {
				if err := take(subject); err != nil {
					t.Errorf("%s: got %v, want no error", subject, err)
				}
			})
			synctest.Wait()
		}
		ask("first")
		for range 1024 {
			ask("a")
		}
		if err := take("a"); domain.CodeOf(err) != domain.CodeServiceUnavailable {
			t.Errorf("number 1025: got %v, want %s", err, domain.CodeServiceUnavailable)
		}
		ask("b")
		close(store.gate)
		group.Wait()
		if err := take("a"); err != nil {
			t.Errorf("once the crowd is served: got %v, want no error", err)
		}
	})
}
