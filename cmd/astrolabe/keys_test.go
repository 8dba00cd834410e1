package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
	"astrolabe/repo/repotest"
)

// keeper is an operator who manages keys, with the master key in a data
// folder.
type keeper struct {
	*operator
	data   string
	stderr bytes.Buffer
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	url := pgtest.Database(t, repotest.Migrated)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &keeper{operator: &operator{t, url, db}, data: t.TempDir()}
}

// types runs a command, expects its exit code and returns its stdout.
func (k *keeper) types(code int, command string) string {
	k.Helper()
	var stdout bytes.Buffer
	k.stderr.Reset()
	args := append(strings.Fields(command), "--database-url="+k.url, "--data="+k.data)
	if got := run(k.Context(), args, &stdout, &k.stderr); got != code {
		k.Fatalf("%s: got exit code %d, want %d\n%s%s", command, got, code, &stdout, &k.stderr)
	}
	return stdout.String()
}

// ring opens the secrets as a serving process would.
func (k *keeper) ring() *secret.Ring {
	k.Helper()
	masters, err := secretSettings{}.masters(k.data)
	if err != nil {
		k.Fatal(err)
	}
	ring, err := secret.Open(k.Context(), accounts.NewSecrets(k.db), masters[0])
	if err != nil {
		k.Fatal(err)
	}
	return ring
}

func TestOperatorCreatesExtendsAndRevokesAKey(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	k.types(exitUsage, "keys create --workspace acme")
	k.expects(k.stderr.String(), `workspace "acme" does not exist; pass --create-workspace to create it`)
	text := k.types(exitOK, "keys create --workspace acme --create-workspace --label ci --permissions read --environment test --expires 720h --rate-limit heavy=1000 --rate-limit light=5")
	if !regexp.MustCompile(`^svc_test_[a-z0-9]{12}_[A-Za-z0-9]{49}\n$`).MatchString(text) {
		t.Fatalf("got %q, want a key", text)
	}
	text = strings.TrimSpace(text)
	id := strings.Split(text, "_")[2]
	k.expects(k.stderr.String(), "svc_test_"+id+"_…")
	if strings.Contains(k.stderr.String(), text) {
		t.Error("got the key in stderr, want it in stdout only")
	}

	keys := account.NewKeys(accounts.NewKeys(k.db), k.ring(), time.Now)
	caller, err := keys.Authenticate(t.Context(), text)
	if err != nil || caller.Budgets.Of(account.Heavy) != 1000 || caller.Budgets.Of(account.Light) != 5 || caller.May(account.Trace) {
		t.Fatalf("got %+v and %v, want the given rate limits and no trace permission", caller, err)
	}
	k.expects(k.types(exitOK, "keys grant "+id+" --permissions trace,partner"), "read,partner,verify,trace")
	if caller, err := keys.Authenticate(t.Context(), text); err != nil || !caller.May(account.Trace) {
		t.Errorf("after the grant: got %+v and %v, want the trace permission", caller, err)
	}
	listed := k.types(exitOK, "keys list")
	k.expects(strings.Join(strings.Fields(listed), " "), "PUBLIC ID WORKSPACE ENVIRONMENT STATUS PERMISSIONS")
	k.expects(strings.Join(strings.Fields(listed), " "), id+" "+caller.Workspace+" test active read,partner,verify,trace")
	k.expects(k.types(exitOK, "keys list --json"), `"publicId": "`+id+`"`)
	k.expects(k.types(exitOK, "keys revoke "+id), "revoked")
	if _, err := keys.Authenticate(t.Context(), text); err == nil {
		t.Error("got the revoked key accepted, want an error")
	}
	k.expects(strings.Join(strings.Fields(k.types(exitOK, "keys list --workspace acme")), " "), id+" "+caller.Workspace+" test revoked")
	audit := k.types(exitOK, "workspaces audit acme")
	for _, action := range []string{"key_revoked", "key_granted", "key_issued", "workspace_created"} {
		k.expects(audit, action)
	}
	if strings.Contains(audit+listed, text[22:]) {
		t.Error("got the secret in a list, want it hidden")
	}
}

func TestOperatorCreatesASession(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	text := strings.TrimSpace(k.types(exitOK, "session create --workspace acme --create-workspace --lasts 2h"))
	sessions := account.NewSessions(accounts.NewSessions(k.db), k.ring(), time.Now)
	caller, err := sessions.Authenticate(t.Context(), text)
	if err != nil || strings.Contains(k.stderr.String(), text) {
		t.Fatalf("got %v and %s, want a session without its token in stderr", err, &k.stderr)
	}
	k.expects(k.stderr.String(), caller.Subject)
	k.expects(k.types(exitOK, "session revoke "+caller.Subject), "revoked")
	if _, err := sessions.Authenticate(t.Context(), text); err == nil {
		t.Error("got the revoked session accepted, want an error")
	}
	k.types(exitUsage, "session create --workspace acme --lasts 721h")
	k.types(exitUsage, "session revoke ses_nowhere")
}

func TestOperatorEnrolsATraceCertifiedPartner(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	text := strings.TrimSpace(k.types(exitOK, "keys create --workspace acme --create-workspace"))
	keys := account.NewKeys(accounts.NewKeys(k.db), k.ring(), time.Now)
	for _, step := range []struct {
		command, printed string
		want             bool
	}{
		{"workspaces list", " standard false ", false},
		{"workspaces trace acme enrol", " standard true ", true},
		{"workspaces trace acme end", " standard false ", false},
	} {
		k.expects(strings.Join(strings.Fields(k.types(exitOK, step.command)), " "), step.printed)
		if caller, err := keys.Authenticate(t.Context(), text); err != nil || caller.May(account.Trace) != step.want {
			t.Errorf("%s: got %+v and %v, want a key that may trace: %t", step.command, caller, err, step.want)
		}
	}
	k.expects(k.types(exitOK, "workspaces audit acme"), "trace_certified_changed")
	k.types(exitUsage, "workspaces trace acme maybe")
	k.types(exitUsage, "workspaces trace nobody enrol")
}

func TestOperatorChangesAPlan(t *testing.T) {
	t.Parallel()
	k := newKeeper(t)
	k.types(exitOK, "keys create --workspace acme --create-workspace")
	k.expects(k.types(exitOK, "workspaces plan acme wallet"), "  wallet  ")
	k.expects(k.types(exitOK, "workspaces list"), "acme")
	for _, mistake := range []string{
		"workspaces plan acme gold", "workspaces plan nobody wallet", "workspaces audit nobody", "keys list --workspace nobody",
		"keys revoke nosuchkey000", "keys grant nosuchkey000 --permissions read",
		"keys create --workspace acme --permissions admin", "keys create --workspace acme --permissions verify", "keys create --workspace acme --rate-limit all=1", "keys create --workspace acme --expires=-1h",
	} {
		if got := k.types(exitUsage, mistake); strings.Contains(got, string(domain.CodeInvalidRequest)) {
			t.Errorf("%s: got %q, want a message without the code of the API", mistake, got)
		}
	}
}
