package account

import "time"

// Actor is the author of a change.
type Actor struct {
	kind string
	name string
}

// Operator is a person at the command line of the deployment.
func Operator(name string) Actor { return Actor{"operator", name} }

// ActorOf is a caller that changes its own workspace.
func ActorOf(c *Caller) Actor { return Actor{string(c.Kind), c.Subject} }

// String returns the actor as written in the audit log, for example
// operator:ada or session:ses_….
func (a Actor) String() string { return a.kind + ":" + a.name }

func (a Actor) operator() bool { return a.kind == "operator" }

// Action is the kind of a change.
type Action string

// The actions of the audit log.
const (
	ActionWorkspaceCreated Action = "workspace_created"
	ActionPlanChanged      Action = "plan_changed"
	ActionTraceCertified   Action = "trace_certified_changed"
	ActionKeyIssued        Action = "key_issued"
	ActionKeyGranted       Action = "key_granted"
	ActionKeyRevoked       Action = "key_revoked"
	ActionSessionCreated   Action = "session_created"
	ActionSessionRevoked   Action = "session_revoked"
)

// Entry is one line of the audit log. It is stored in the transaction of the
// change that it describes, is never modified, and holds no secret.
type Entry struct {
	At        time.Time
	Actor     string
	Action    Action
	Workspace string
	Subject   string // a key's public id or a session's id
	Details   map[string]any
}

func workspaceCreated(w Workspace, by Actor) Entry {
	return Entry{At: w.CreatedAt, Actor: by.String(), Action: ActionWorkspaceCreated, Workspace: w.ID,
		Details: map[string]any{"name": w.Name, "plan": w.Plan}}
}

func planChanged(w Workspace, plan Plan, by Actor, at time.Time) Entry {
	return Entry{At: at, Actor: by.String(), Action: ActionPlanChanged, Workspace: w.ID,
		Details: map[string]any{"from": w.Plan, "to": plan}}
}

func traceCertifiedChanged(w Workspace, certified bool, by Actor, at time.Time) Entry {
	return Entry{At: at, Actor: by.String(), Action: ActionTraceCertified, Workspace: w.ID,
		Details: map[string]any{"from": w.TraceCertified, "to": certified}}
}

func keyIssued(k Key, by Actor) Entry {
	return Entry{At: k.CreatedAt, Actor: by.String(), Action: ActionKeyIssued, Workspace: k.Workspace, Subject: k.PublicID,
		Details: map[string]any{
			"environment": k.Environment, "permissions": k.Permissions, "budgets": k.Budgets,
			"default": k.Default, "expiresAt": k.ExpiresAt,
		}}
}

// KeyGranted is the entry of a key that was granted permissions.
func KeyGranted(k Key, added []Permission, by Actor, at time.Time) Entry {
	return Entry{At: at, Actor: by.String(), Action: ActionKeyGranted, Workspace: k.Workspace, Subject: k.PublicID,
		Details: map[string]any{"permissions": added}}
}

// KeyRevoked is the entry of a revoked key.
func KeyRevoked(workspace, publicID string, by Actor, at time.Time) Entry {
	return Entry{At: at, Actor: by.String(), Action: ActionKeyRevoked, Workspace: workspace, Subject: publicID}
}

// KeyReplaced is the entry of a key that is revoked at a time because another
// has replaced it.
func KeyReplaced(replacement Key, publicID string, by Actor, until time.Time) Entry {
	entry := KeyRevoked(replacement.Workspace, publicID, by, replacement.CreatedAt)
	entry.Details = map[string]any{"replacedBy": replacement.PublicID}
	if until.After(replacement.CreatedAt) {
		entry.Details["validUntil"] = until
	}
	return entry
}

func sessionCreated(s Session, by Actor) Entry {
	return Entry{At: s.CreatedAt, Actor: by.String(), Action: ActionSessionCreated, Workspace: s.Workspace, Subject: s.ID,
		Details: map[string]any{"subject": s.Subject, "expiresAt": s.ExpiresAt}}
}

// SessionRevoked is the entry of a session that was revoked before its expiry.
func SessionRevoked(s Session, by Actor, at time.Time) Entry {
	return Entry{At: at, Actor: by.String(), Action: ActionSessionRevoked, Workspace: s.Workspace, Subject: s.ID}
}
