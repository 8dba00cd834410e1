package accounts

import (
	"strings"
	"testing"
	"time"

	"astrolabe/domain/account"
)

func TestTheAuditLogOnlyGrows(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.issue(account.Read)
	for _, statement := range []string{"UPDATE audit_log SET actor = 'nobody'", "DELETE FROM audit_log", "TRUNCATE audit_log"} {
		if _, err := p.db.Write().DB.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "only grows") {
			t.Errorf("%s: got %v, want an error that the log only grows", statement, err)
		}
	}
	if done := p.audit("acme"); done[account.ActionWorkspaceCreated] != 1 || done[account.ActionKeyIssued] != 1 {
		t.Errorf("got %v in the audit log, want one created workspace and one issued key", done)
	}
}

func TestNoSecretIsStored(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	key := p.issue(account.Read)
	_, token, err := p.sessions.Create(t.Context(), key.Key.Workspace, "ada", time.Hour, operator)
	if err != nil {
		t.Fatal(err)
	}
	var stored strings.Builder
	for _, table := range []string{"workspaces", "api_keys", "sessions", "audit_log"} {
		var lines []string
		err := p.db.Write().NewRaw("SELECT row_to_json(t)::text FROM "+table+" t").Scan(t.Context(), &lines)
		if err != nil || len(lines) == 0 {
			t.Fatalf("%s: got %d rows and %v, want some", table, len(lines), err)
		}
		stored.WriteString(strings.Join(lines, "\n"))
	}
	for _, text := range []string{key.Text.Reveal(), token.Reveal()} {
		secret := text[strings.LastIndex(text, "_")+1:]
		if strings.Contains(stored.String(), secret[:12]) {
			t.Errorf("got %s in the stored rows, want no secret: %s", secret, &stored)
		}
	}
}
