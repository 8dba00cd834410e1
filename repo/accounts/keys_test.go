package accounts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/repo/repotest"
	"astrolabe/telemetry"
)

func TestAnIssuedKeyIsRecognisedWithAllItHas(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme")
	expires := p.now().Add(time.Hour)
	issued, err := p.keys.Issue(t.Context(), w.ID, account.IssueRequest{
		Label: "ci", Environment: account.Test, Permissions: []account.Permission{account.Trace, account.Read, account.Read},
		Budgets: account.Budgets{account.Heavy: 9}, ExpiresAt: &expires,
	}, operator)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := p.keys.Authenticate(t.Context(), issued.Text.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	if caller.Kind != account.ByKey || caller.Workspace != w.ID || caller.Plan != account.Standard || caller.Subject != issued.Key.PublicID ||
		!slices.Equal(caller.Permissions, []account.Permission{account.Read, account.Verify, account.Trace}) ||
		caller.Budgets.Of(account.Heavy) != 9 || caller.Budgets.Of(account.Light) != account.Usual[account.Light] {
		t.Errorf("got the caller %+v, want the workspace %s and the key %s", caller, w.ID, issued.Key.PublicID)
	}
	list, _, err := p.keys.List(t.Context(), w.ID, 10)
	if err != nil || len(list) != 1 || list[0].Label != "ci" || list[0].Masked() != issued.Text.Masked() || !list[0].CreatedAt.Equal(issued.Key.CreatedAt) {
		t.Errorf("got %+v and %v, want the issued key alone", list, err)
	}
}

func TestEveryKeyThatOpensNothingGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	good, other := p.issue(account.Read), p.issue(account.Read)
	expires := p.now().Add(time.Minute)
	expired, err := p.keys.Issue(t.Context(), good.Key.Workspace, account.IssueRequest{
		Environment: account.Live, Permissions: account.SelfServe, ExpiresAt: &expires}, operator)
	if err != nil {
		t.Fatal(err)
	}
	if !p.accepts(expired.Text) {
		t.Error("got a key expired early, want it accepted")
	}
	p.later(time.Minute)
	revoked := p.issue(account.Read)
	if _, err := p.keys.Revoke(t.Context(), revoked.Key.Workspace, revoked.Key.PublicID, operator); err != nil {
		t.Fatal(err)
	}
	wrongSecret, wrongEnvironment := other.Text, good.Text
	wrongSecret.PublicID, wrongEnvironment.Environment = good.Text.PublicID, account.Test
	answers := make(map[string][]string)
	for name, text := range map[string]string{
		"malformed":         "svc_live_x",
		"checksum":          good.Text.Reveal()[:63] + "00000000",
		"unknown":           account.NewKeyText(account.Live).Reveal(),
		"wrong secret":      wrongSecret.Reveal(),
		"wrong environment": wrongEnvironment.Reveal(),
		"expired":           expired.Text.Reveal(),
		"revoked":           revoked.Text.Reveal(),
	} {
		_, err := p.keys.Authenticate(t.Context(), text)
		answers[fmt.Sprint(domain.CodeOf(err), err)] = append(answers[fmt.Sprint(domain.CodeOf(err), err)], name)
		if domain.CodeOf(err) != domain.CodeUnauthorized {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeUnauthorized)
		}
	}
	if len(answers) != 1 {
		t.Errorf("got the messages %v, want one message for every case", answers)
	}
	if !p.accepts(good.Text) {
		t.Error("got the valid key rejected, want it accepted")
	}
}

func TestAnOutageIsNotARefusal(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	p.db.Close()
	if _, err := p.keys.Authenticate(t.Context(), key.Text.Reveal()); domain.CodeOf(err) != domain.CodeServiceUnavailable {
		t.Errorf("got %v, want %s", err, domain.CodeServiceUnavailable)
	}
}

func TestARecognisedKeyCostsNoReadWhileProcessesListen(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	p.listens()
	for i, want := range []int{1, 0, 0} {
		ctx, count := telemetry.CountStatements(t.Context())
		if _, err := p.keys.Authenticate(ctx, key.Text.Reveal()); err != nil || count.N() != want {
			t.Errorf("check %d: got %d statements and %v, want %d", i, count.N(), err, want)
		}
	}
}

func TestARevocationReachesAnotherProcessAtOnce(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	key := here.issue(account.Read)
	there.listens()
	if !there.accepts(key.Text) {
		t.Fatal("got the key rejected, want it accepted")
	}
	if _, err := here.keys.Revoke(t.Context(), "", key.Key.PublicID, operator); err != nil {
		t.Fatal(err)
	}
	// Its clock does not advance, so only the notification can invalidate the
	// key.
	soon(t, "the revocation arrives", func() bool { return !there.accepts(key.Text) })
}

func TestAGrantAndAPlanReachAnotherProcess(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	key := here.issue(account.Read)
	there.listens()
	caller := func() account.Caller {
		c, err := there.keys.Authenticate(t.Context(), key.Text.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		return *c
	}
	if c := caller(); c.May(account.Partner) || c.Plan != account.Standard {
		t.Fatalf("got %+v, want the standard plan without the partner permission", c)
	}
	if _, err := here.keys.Grant(t.Context(), key.Key.PublicID, []account.Permission{account.Partner}, operator); err != nil {
		t.Fatal(err)
	}
	soon(t, "the grant arrives", func() bool { c := caller(); return c.May(account.Partner) && c.May(account.Read) })
	if _, err := account.NewWorkspaces(NewWorkspaces(here.db), here.now).SetPlan(t.Context(), "acme", account.Wallet, operator); err != nil {
		t.Fatal(err)
	}
	soon(t, "the plan arrives", func() bool { return caller().Plan == account.Wallet })
}

func TestKeysOfATraceCertifiedPartnerMayTrace(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	reader, writer := here.issue(account.Read), here.issue(account.Write)
	there.listens()
	permissions := func(text account.KeyText) []account.Permission {
		c, err := there.keys.Authenticate(t.Context(), text.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		return c.Permissions
	}
	may := func(text account.KeyText) bool { return slices.Contains(permissions(text), account.Trace) }
	if may(reader.Text) {
		t.Fatal("got a key that may trace, want none before the enrolment")
	}
	workspaces := account.NewWorkspaces(NewWorkspaces(here.db), here.now)
	if _, err := workspaces.SetTraceCertified(t.Context(), "acme", true, operator); err != nil {
		t.Fatal(err)
	}
	soon(t, "the enrolment arrives", func() bool { return may(reader.Text) })
	if later := here.issue(account.Read); !may(later.Text) {
		t.Error("got a later key that may not trace, want the partner's keys to")
	}
	if got := permissions(writer.Text); !slices.Equal(got, []account.Permission{account.Write, account.Verify}) {
		t.Errorf("got %v for a key without read, want write and verify only", got)
	}
	if found, err := here.keys.Grant(t.Context(), reader.Key.PublicID, []account.Permission{account.Batch}, operator); err != nil || slices.Contains(found.Permissions, account.Trace) {
		t.Errorf("got %v and %v, want trace not stored in the key", found.Permissions, err)
	}
	if _, err := workspaces.SetTraceCertified(t.Context(), "acme", false, operator); err != nil {
		t.Fatal(err)
	}
	soon(t, "the end of the enrolment arrives", func() bool { return !may(reader.Text) })
	if n := here.audit("acme")[account.ActionTraceCertified]; n != 2 {
		t.Errorf("got %d entries in the audit log, want 2", n)
	}
}

func TestALostNotificationCostsFiveSeconds(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	key := here.issue(account.Read)
	there.keys.Listening(true) // and receives nothing
	there.accepts(key.Text)
	if _, err := here.keys.Revoke(t.Context(), "", key.Key.PublicID, operator); err != nil {
		t.Fatal(err)
	}
	if !there.accepts(key.Text) {
		t.Error("got the revoked key rejected at once, want it accepted from the cache")
	}
	there.later(5 * time.Second)
	if there.accepts(key.Text) {
		t.Error("got the revoked key accepted after five seconds, want it rejected")
	}
}

func TestAProcessWithoutItsListenerReadsEveryTime(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	key := here.issue(account.Read)
	there.accepts(key.Text)
	if _, err := here.keys.Revoke(t.Context(), "", key.Key.PublicID, operator); err != nil {
		t.Fatal(err)
	}
	if there.accepts(key.Text) {
		t.Error("got the revoked key accepted, want it rejected")
	}
}

func TestARotationReplacesTheDefaultKeyAlone(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme")
	issued := p.issue(account.Read)
	foreign, err := p.keys.RotateDefault(t.Context(), p.workspace("other").ID, operator)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.keys.RotateDefault(t.Context(), w.ID, operator)
	if err != nil || first.Action() != "created" || len(first.Revoked) != 0 {
		t.Fatalf("got %s with %v revoked and %v, want created with none", first.Action(), first.Revoked, err)
	}
	if !slices.Equal(first.Key.Permissions, account.SelfServe) || first.Key.Environment != account.Live {
		t.Errorf("got %+v, want a live key with the self-serve permissions", first.Key)
	}
	second, err := p.keys.RotateDefault(t.Context(), w.ID, operator)
	if err != nil || second.Action() != "rotated" || !slices.Equal(second.Revoked, []string{first.Key.PublicID}) {
		t.Fatalf("got %s with %v revoked and %v, want rotated with %s", second.Action(), second.Revoked, err, first.Key.PublicID)
	}
	for name, try := range map[string]struct {
		key  account.KeyText
		good bool
	}{
		"the old": {first.Text, false}, "the new": {second.Text, true},
		"an issued one": {issued.Text, true}, "another workspace's": {foreign.Text, true},
	} {
		if p.accepts(try.key) != try.good {
			t.Errorf("%s: got accepted %v, want %v", name, !try.good, try.good)
		}
	}
	if _, err := p.keys.RotateDefault(t.Context(), "wsp_nowhere", operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown workspace: got %v, want %s", err, domain.CodeNotFound)
	}
}

func TestRotatedKeyIsValidForTheOverlap(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme")
	rotate := func(overlap time.Duration) account.Rotated {
		t.Helper()
		rotated, err := p.keys.RotateDefaultWithOverlap(t.Context(), w.ID, int64(overlap.Seconds()), operator)
		if err != nil {
			t.Fatal(err)
		}
		return rotated
	}
	first := rotate(0)
	p.later(time.Second)
	second := rotate(time.Hour)
	caller, err := p.keys.Authenticate(t.Context(), first.Text.Reveal())
	if err != nil || !caller.Until.Equal(second.Key.CreatedAt.Add(time.Hour)) || caller.Meter != w.ID {
		t.Fatalf("old key: got %+v and %v, want it valid for an hour with the rate limit of the workspace", caller, err)
	}
	if !slices.Equal(second.Revoked, []string{first.Key.PublicID}) || second.Action() != "rotated" {
		t.Errorf("got %s of %v, want rotated of %s", second.Action(), second.Revoked, first.Key.PublicID)
	}
	p.later(time.Hour)
	if old, current := p.accepts(first.Text), p.accepts(second.Text); old || !current {
		t.Errorf("after the overlap: got the old key accepted %t and the new one %t, want only the new one", old, current)
	}
	third := rotate(time.Hour)
	p.later(time.Minute)
	fourth := rotate(0) // which ends the overlap of the second key, too
	if got := [3]bool{p.accepts(second.Text), p.accepts(third.Text), p.accepts(fourth.Text)}; got != [3]bool{2: true} {
		t.Errorf("after a rotation without an overlap: got the last three keys accepted %v, want only the newest", got)
	}
	fifth := rotate(time.Hour)
	if _, err := p.keys.Revoke(t.Context(), w.ID, fourth.Key.PublicID, operator); err != nil || p.accepts(fourth.Text) || !p.accepts(fifth.Text) {
		t.Errorf("revoked within the overlap: got %v, want only the newest key accepted", err)
	}
	for _, seconds := range []int64{-1, 86401, math.MaxInt64} {
		want := fmt.Sprintf("overlapSeconds must be an integer from 0 to 86400, got %d.", seconds)
		if _, err := p.keys.RotateDefaultWithOverlap(t.Context(), w.ID, seconds, operator); domain.CodeOf(err) != domain.CodeInvalidRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestARotationIsOneMove(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme")
	first, err := p.keys.RotateDefault(t.Context(), w.ID, operator)
	if err != nil {
		t.Fatal(err)
	}
	before := p.audit("acme")
	// Make the last statement of the transaction fail.
	p.execute(`CREATE FUNCTION strike() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'struck'; END $$`)
	p.execute(`CREATE TRIGGER strike BEFORE INSERT ON audit_log FOR EACH ROW WHEN (new.action = 'key_issued') EXECUTE FUNCTION strike()`)
	if _, err := p.keys.RotateDefault(t.Context(), w.ID, operator); err == nil {
		t.Fatal("got a rotation, want the trigger's error")
	}
	list, _, err := p.keys.List(t.Context(), w.ID, 10)
	if err != nil || len(list) != 1 || list[0].Status(p.now()) != account.Active || !p.accepts(first.Text) {
		t.Errorf("got %+v and %v, want the first key active", list, err)
	}
	if after := p.audit("acme"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("audit log: got %v, want %v", after, before)
	}
}

func TestRotationsThatMeetLeaveOneKey(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	processes := []*process{deployment.process(t), deployment.process(t)}
	w := processes[0].workspace("acme")
	const each = 8
	var group sync.WaitGroup
	for _, p := range processes {
		for range each {
			group.Go(func() {
				if _, err := p.keys.RotateDefault(t.Context(), w.ID, operator); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	list, _, err := processes[0].keys.List(t.Context(), w.ID, 100)
	active := slices.DeleteFunc(slices.Clone(list), func(k account.Key) bool { return k.RevokedAt != nil })
	if err != nil || len(list) != 2*each || len(active) != 1 {
		t.Errorf("got %d keys, %d of them active, and %v; want %d and 1", len(list), len(active), err, 2*each)
	}
	if done := processes[0].audit("acme"); done[account.ActionKeyIssued] != 2*each || done[account.ActionKeyRevoked] != 2*each-1 {
		t.Errorf("got %v in the audit log, want %d issued and %d revoked keys", done, 2*each, 2*each-1)
	}
}

func TestRotationsAreBoundedEachDay(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	processes := []*process{deployment.process(t), deployment.process(t)}
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, p := range processes {
		p.clock.Store(noon.UnixNano())
	}
	w := processes[0].workspace("acme")
	var (
		group   sync.WaitGroup
		rotated atomic.Int64
	)
	for i := range 30 {
		group.Go(func() {
			_, err := processes[i%2].keys.RotateDefault(t.Context(), w.ID, operator)
			refused, ok := errors.AsType[*domain.Error](err)
			switch {
			case err == nil:
				rotated.Add(1)
			case !ok || refused.Code != domain.CodeRateLimited || refused.RetryAfter != 12*time.Hour:
				t.Error(err)
			}
		})
	}
	group.Wait()
	p := processes[0]
	if n := rotated.Load(); n != 20 || p.audit("acme")[account.ActionKeyIssued] != 20 {
		t.Errorf("got %d rotations and %v in the audit log, want 20 of 30", n, p.audit("acme"))
	}
	if _, err := p.keys.RotateDefault(t.Context(), p.workspace("other").ID, operator); err != nil {
		t.Errorf("another workspace: got %v, want no error", err)
	}
	p.later(12*time.Hour - time.Microsecond)
	if _, err := p.keys.RotateDefault(t.Context(), w.ID, operator); domain.CodeOf(err) != domain.CodeRateLimited {
		t.Errorf("before midnight: got %v, want %s", err, domain.CodeRateLimited)
	}
	p.later(time.Microsecond)
	if _, err := p.keys.RotateDefault(t.Context(), w.ID, operator); err != nil {
		t.Errorf("after midnight: got %v, want no error", err)
	}
}

func TestKeysAreForgottenLongAfterTheyWereRevoked(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	old, older, good := p.issue(account.Read), p.issue(account.Read), p.issue(account.Read)
	for _, key := range []account.Issued{older, old} {
		if _, err := p.keys.Revoke(t.Context(), "", key.Key.PublicID, operator); err != nil {
			t.Fatal(err)
		}
		p.later(time.Second)
	}
	for i, want := range []int{0, 1, 1, 0} {
		before := p.now().Add(-2 * time.Second) // when the first was revoked
		if i > 0 {
			before = p.now()
		}
		if got, err := NewKeys(p.db).ForgetKeys(t.Context(), before, 1); err != nil || got != want {
			t.Errorf("pass %d forgot %d, %v, want %d", i, got, err, want)
		}
	}
	list, _, err := p.keys.List(t.Context(), good.Key.Workspace, 10)
	if err != nil || len(list) != 1 || list[0].PublicID != good.Key.PublicID {
		t.Errorf("got %v and %v, want the key %s alone", list, err, good.Key.PublicID)
	}
	if done := p.audit("acme"); done[account.ActionKeyIssued] != 3 || done[account.ActionKeyRevoked] != 2 {
		t.Errorf("got %v in the audit log, want 3 issued and 2 revoked keys", done)
	}
}

func TestOldKeysSurviveANewPepper(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	here, there := deployment.process(t), deployment.process(t)
	old := here.issue(account.Read)
	if _, err := here.ring.Rotate(t.Context(), secret.Pepper, 0); err != nil {
		t.Fatal(err)
	}
	fresh := here.issue(account.Read)
	if fresh.Key.Pepper != old.Key.Pepper+1 {
		t.Errorf("got pepper %d, want %d", fresh.Key.Pepper, old.Key.Pepper+1)
	}
	for _, p := range []*process{here, deployment.process(t), there} {
		if !p.accepts(old.Text) || !p.accepts(fresh.Text) {
			t.Errorf("got accepted %v for the old and %v for the new key, want both", p.accepts(old.Text), p.accepts(fresh.Text))
		}
	}
}

func TestKeyOfAnotherWorkspaceIsNotFound(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key, thief := p.issue(account.Read), p.workspace("thief")
	caller := account.ActorOf(&account.Caller{Kind: account.BySession, Workspace: thief.ID, Subject: "ses_thief"})
	_, foreign := p.keys.Revoke(t.Context(), thief.ID, key.Key.PublicID, caller)
	_, absent := p.keys.Revoke(t.Context(), thief.ID, "nosuchkey000", caller)
	_, nowhere := p.keys.Revoke(t.Context(), "", key.Key.PublicID, caller)
	for _, err := range []error{foreign, absent, nowhere} {
		if domain.CodeOf(err) != domain.CodeNotFound || err.Error() != absent.Error() {
			t.Errorf("got %v, want %v", err, absent)
		}
	}
	if list, _, err := p.keys.List(t.Context(), thief.ID, 10); err != nil || len(list) != 0 {
		t.Errorf("got %v and %v, want no keys", list, err)
	}
	if !p.accepts(key.Text) || p.audit("thief")[account.ActionKeyRevoked] != 0 {
		t.Error("got the key revoked, want it active")
	}
}

func TestARevocationDoesNotWaitForAnotherWorkspacesKey(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key, thief := p.issue(account.Read), p.workspace("thief")
	busy, err := p.db.Write().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Rollback() //nolint:errcheck // the test is over
	if _, err := busy.ExecContext(t.Context(), "SELECT FROM api_keys WHERE public_id = ? FOR UPDATE", key.Key.PublicID); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := p.keys.Revoke(ctx, thief.ID, key.Key.PublicID, operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("got %v, want %s", err, domain.CodeNotFound)
	}
}

func TestRevokingTwiceAnswersTheSame(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	first, err := p.keys.Revoke(t.Context(), key.Key.Workspace, key.Key.PublicID, operator)
	if err != nil {
		t.Fatal(err)
	}
	p.later(time.Hour)
	second, err := p.keys.Revoke(t.Context(), key.Key.Workspace, key.Key.PublicID, operator)
	if err != nil || first.RevokedAt == nil || !second.RevokedAt.Equal(*first.RevokedAt) || second.Status(p.now()) != account.Revoked {
		t.Errorf("got %+v, then %+v and %v, want one time of revocation", first, second, err)
	}
	if n := p.audit("acme")[account.ActionKeyRevoked]; n != 1 {
		t.Errorf("got %d revocations in the audit log, want 1", n)
	}
}

func TestWhatOnlyAnOperatorGives(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := p.workspace("acme")
	person := account.ActorOf(&account.Caller{Kind: account.BySession, Subject: "ses_x"})
	for _, permission := range account.Grantable {
		_, err := p.keys.Issue(t.Context(), w.ID, account.IssueRequest{
			Environment: account.Live, Permissions: []account.Permission{permission}}, person)
		if allowed := slices.Contains(account.SelfServe, permission); allowed != (err == nil) || (!allowed && domain.CodeOf(err) != domain.CodeForbidden) {
			t.Errorf("%s: got %v, want allowed: %v", permission, err, allowed)
		}
	}
	_, err := p.keys.Issue(t.Context(), w.ID, account.IssueRequest{
		Environment: account.Live, Permissions: account.SelfServe, Budgets: account.Budgets{account.Heavy: 1}}, person)
	if domain.CodeOf(err) != domain.CodeForbidden {
		t.Errorf("rate limit: got %v, want %s", err, domain.CodeForbidden)
	}
	key := p.issue(account.Read)
	if _, err := p.keys.Grant(t.Context(), key.Key.PublicID, []account.Permission{account.Prove}, person); domain.CodeOf(err) != domain.CodeForbidden {
		t.Errorf("grant: got %v, want %s", err, domain.CodeForbidden)
	}
	workspaces := account.NewWorkspaces(NewWorkspaces(p.db), p.now)
	if _, err := workspaces.SetPlan(t.Context(), w.ID, account.Wallet, person); domain.CodeOf(err) != domain.CodeForbidden {
		t.Errorf("plan: got %v, want %s", err, domain.CodeForbidden)
	}
	if _, err := workspaces.SetTraceCertified(t.Context(), w.ID, true, person); domain.CodeOf(err) != domain.CodeForbidden {
		t.Errorf("enrolment: got %v, want %s", err, domain.CodeForbidden)
	}
}

func TestARequestForAKeyThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w, past := p.workspace("acme"), p.now()
	for name, change := range map[string]func(*account.IssueRequest){
		"no environment":      func(r *account.IssueRequest) { r.Environment = "" },
		"no permission":       func(r *account.IssueRequest) { r.Permissions = nil },
		"unknown permission":  func(r *account.IssueRequest) { r.Permissions = []account.Permission{"admin"} },
		"verify":              func(r *account.IssueRequest) { r.Permissions = account.Permissions },
		"unknown class":       func(r *account.IssueRequest) { r.Budgets = account.Budgets{"all": 1} },
		"enormous budget":     func(r *account.IssueRequest) { r.Budgets = account.Budgets{account.Light: account.MaxBudget + 1} },
		"negative budget":     func(r *account.IssueRequest) { r.Budgets = account.Budgets{account.Light: -1} },
		"expired":             func(r *account.IssueRequest) { r.ExpiresAt = &past },
		"a label of a novel":  func(r *account.IssueRequest) { r.Label = strings.Repeat("x", 101) },
		"a label with a bell": func(r *account.IssueRequest) { r.Label = "\a" },
	} {
		request := account.IssueRequest{Environment: account.Live, Permissions: account.SelfServe}
		change(&request)
		if _, err := p.keys.Issue(t.Context(), w.ID, request, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeInvalidRequest)
		}
	}
	if _, err := p.keys.Issue(t.Context(), "wsp_nowhere", account.IssueRequest{Environment: account.Live, Permissions: account.SelfServe}, operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown workspace: got %v, want %s", err, domain.CodeNotFound)
	}
}

// TestEveryKeyVerifiesByItself issues keys of every permission, and one as a
// release that granted verify stored it.
func TestEveryKeyVerifiesByItself(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	for _, permission := range account.Grantable {
		key := p.issue(permission)
		if slices.Contains(key.Key.Permissions, account.Verify) {
			t.Errorf("%s: got verify stored in the key, want it to be nothing that can be taken away", permission)
		}
		caller, err := p.keys.Authenticate(t.Context(), key.Text.Reveal())
		if err != nil || !caller.May(account.Verify) || len(caller.Permissions) != 2 {
			t.Errorf("%s: got %+v and %v, want it and verify", permission, caller, err)
		}
	}
	granted := p.issue(account.Read)
	if _, err := p.keys.Grant(t.Context(), granted.Key.PublicID, []account.Permission{account.Verify}, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("a grant of verify: got %v, want %s", err, domain.CodeInvalidRequest)
	}
	p.execute("UPDATE api_keys SET permissions = '{read,verify}' WHERE public_id = '" + granted.Key.PublicID + "'")
	caller, err := p.keys.Authenticate(t.Context(), granted.Text.Reveal())
	if err != nil || !slices.Equal(caller.Permissions, []account.Permission{account.Read, account.Verify}) {
		t.Errorf("a key of an earlier release: got %+v and %v, want read and verify once", caller, err)
	}
}

func TestAGrantAddsAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Write)
	for range 2 { // the second changes nothing
		granted, err := p.keys.Grant(t.Context(), key.Key.PublicID, []account.Permission{account.Trace, account.Read}, operator)
		if err != nil || !slices.Equal(granted.Permissions, []account.Permission{account.Read, account.Write, account.Trace}) {
			t.Errorf("got %v and %v, want read, write and trace", granted.Permissions, err)
		}
	}
	entries, err := NewAudit(p.db).List(t.Context(), key.Key.Workspace, 10)
	if err != nil || len(entries) != 3 || entries[0].Action != account.ActionKeyGranted || entries[0].Actor != "operator:ada" ||
		entries[0].Subject != key.Key.PublicID || fmt.Sprint(entries[0].Details) != "map[permissions:[read trace]]" {
		t.Errorf("got %+v and %v in the audit log, want the grant first of three entries", entries, err)
	}
	if _, err := p.keys.Revoke(t.Context(), "", key.Key.PublicID, operator); err != nil {
		t.Fatal(err)
	}
	if _, err := p.keys.Grant(t.Context(), key.Key.PublicID, []account.Permission{account.Batch}, operator); domain.CodeOf(err) != domain.CodeInvalidRequest {
		t.Errorf("revoked key: got %v, want %s", err, domain.CodeInvalidRequest)
	}
	if _, err := p.keys.Grant(t.Context(), "nosuchkey000", []account.Permission{account.Batch}, operator); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("unknown key: got %v, want %s", err, domain.CodeNotFound)
	}
}

func TestAListShowsGoodKeysFirstAndSaysWhenItIsCut(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	var ids []string
	for range 4 {
		ids = append(ids, p.issue(account.Read).Key.PublicID)
		p.later(time.Second)
	}
	w := p.workspace("acme").ID
	if _, err := p.keys.Revoke(t.Context(), w, ids[3], operator); err != nil {
		t.Fatal(err)
	}
	want := []string{ids[2], ids[1], ids[0], ids[3]}
	for limit := 1; limit <= 5; limit++ {
		list, truncated, err := p.keys.List(t.Context(), w, limit)
		var got []string
		for _, k := range list {
			got = append(got, k.PublicID)
		}
		if err != nil || truncated != (limit < 4) || !slices.Equal(got, want[:min(limit, 4)]) {
			t.Errorf("limit %d: got %v, truncated %v, %v; want %v", limit, got, truncated, err, want[:min(limit, 4)])
		}
	}
}

func TestTheLastUseOfKeysIsStoredInOneStatement(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	first, second := p.issue(account.Read), p.issue(account.Read)
	at := p.now()
	for range 3 {
		p.accepts(first.Text)
		p.accepts(second.Text)
	}
	ctx, count := telemetry.CountStatements(t.Context())
	for range 2 {
		if err := p.keys.StoreUse(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if count.N() != 1 {
		t.Errorf("got %d statements, want 1", count.N())
	}
	for _, key := range []account.Issued{first, second} {
		if k, err := NewKeys(p.db).FindKey(t.Context(), key.Key.PublicID); err != nil || k.LastUsedAt == nil || k.LastUsedAt.Sub(at).Abs() > time.Microsecond {
			t.Errorf("last used %v, %v; want %v", k.LastUsedAt, err, at)
		}
	}
}

func TestTheLastUsesAreStoredWhenAProcessEnds(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	p.accepts(key.Text)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.keys.FollowUse(ctx, account.UseEvery, func(err error) { t.Error(err) })
	if k, err := NewKeys(p.db).FindKey(t.Context(), key.Key.PublicID); err != nil || k.LastUsedAt == nil {
		t.Errorf("got %v and %v, want a time of last use", k.LastUsedAt, err)
	}
}

func TestALastUseThatCouldNotBeStoredIsKept(t *testing.T) {
	t.Parallel()
	deployment := newAccounts(t)
	p := deployment.process(t)
	key := p.issue(account.Read)
	p.accepts(key.Text)
	p.execute(`ALTER TABLE api_keys RENAME COLUMN last_used_at TO hidden`)
	if err := p.keys.StoreUse(t.Context()); err == nil {
		t.Fatal("got no error, want a failure to store")
	}
	p.execute(`ALTER TABLE api_keys RENAME COLUMN hidden TO last_used_at`)
	if err := p.keys.StoreUse(t.Context()); err != nil {
		t.Fatal(err)
	}
	if k, err := NewKeys(p.db).FindKey(t.Context(), key.Key.PublicID); err != nil || k.LastUsedAt == nil {
		t.Errorf("got %v and %v, want a time of last use", k.LastUsedAt, err)
	}
}

func TestTheHotReadOfAKeyUsesItsIndexes(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	statements := repotest.Recorded(t, p.db, func() {
		keys, sessions := NewKeys(p.db), NewSessions(p.db)
		_, found := keys.FindKey(t.Context(), key.Key.PublicID)
		_, listed := keys.ListKeys(t.Context(), key.Key.Workspace, 2)
		_, forgotten := keys.ForgetKeys(t.Context(), p.now(), 2)
		if err := errors.Join(found, listed, forgotten); err != nil {
			t.Fatal(err)
		}
		_, _ = sessions.FindSession(t.Context(), "x") // there is none
	})
	for name, index := range map[string]string{
		"key.find": "api_keys_pkey", "key.list": "api_keys_of_workspace", "session.find": "sessions_pkey", "key.forget": "api_keys_revoked",
	} {
		plan := repotest.Explain(t, p.db, statements[name], "enable_seqscan = off", "enable_bitmapscan = off", "enable_sort = off")
		if !strings.Contains(plan, "Index Scan using "+index) || strings.Contains(plan, "Sort") {
			t.Errorf("%s: got the plan\n%s\nwant a scan of %s without a sort", name, plan, index)
		}
	}
}
