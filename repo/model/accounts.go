package model

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"astrolabe/domain/account"
	"astrolabe/starknet"
)

// Workspace is the owner of keys and sessions.
type Workspace struct {
	bun.BaseModel `bun:"table:workspaces,alias:w"`

	ID             string       `bun:"id,pk"`
	Name           string       `bun:"name"`
	Plan           account.Plan `bun:"plan"`
	TraceCertified bool         `bun:"trace_certified"`
	CreatedAt      time.Time    `bun:"created_at"`
}

// APIKey is a key of a workspace.
type APIKey struct {
	bun.BaseModel `bun:"table:api_keys,alias:k"`

	PublicID         string               `bun:"public_id,pk"`
	Workspace        string               `bun:"workspace"`
	Environment      account.Environment  `bun:"environment"`
	Label            string               `bun:"label"`
	Permissions      []account.Permission `bun:"permissions,array"`
	Budgets          account.Budgets      `bun:"budgets,type:jsonb,nullzero"`
	IsDefault        bool                 `bun:"is_default"`
	Hash             account.Hash         `bun:"hash"`
	PepperGeneration int64                `bun:"pepper_generation"`
	CreatedAt        time.Time            `bun:"created_at"`
	ExpiresAt        *time.Time           `bun:"expires_at"`
	RevokedAt        *time.Time           `bun:"revoked_at"`
	LastUsedAt       *time.Time           `bun:"last_used_at"`
}

// Session is a browser's session of a workspace.
type Session struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	ID         string       `bun:"id,pk"`
	Workspace  string       `bun:"workspace"`
	Subject    string       `bun:"subject"`
	Hash       account.Hash `bun:"hash"`
	Generation int64        `bun:"generation"`
	CreatedAt  time.Time    `bun:"created_at"`
	ExpiresAt  time.Time    `bun:"expires_at"`
	RevokedAt  *time.Time   `bun:"revoked_at"`
	// IdleSeconds is how long the session may be unused; nil means no limit.
	IdleSeconds *int64     `bun:"idle_seconds"`
	LastUsedAt  *time.Time `bun:"last_used_at"`
}

// UsedLogin is a sign-in that was completed or refused.
type UsedLogin struct {
	bun.BaseModel `bun:"table:used_logins,alias:ul"`

	ID        []byte    `bun:"id,pk"`
	ExpiresAt time.Time `bun:"expires_at"`
}

// AuditEntry is an entry of the append-only audit log.
type AuditEntry struct {
	bun.BaseModel `bun:"table:audit_log,alias:al"`

	ID        int64           `bun:"id,pk,autoincrement"`
	At        time.Time       `bun:"at"`
	Actor     string          `bun:"actor"`
	Action    string          `bun:"action"`
	Workspace string          `bun:"workspace"`
	Subject   string          `bun:"subject"`
	Details   json.RawMessage `bun:"details,type:jsonb"`
}

// Quota is how much of a rate limit a caller has used.
type Quota struct {
	bun.BaseModel `bun:"table:quotas,alias:q"`

	Kind    string `bun:"kind,pk"`
	Subject string `bun:"subject,pk"`
	Class   string `bun:"class,pk"`
	Budget  int64  `bun:"budget"`
	At      int64  `bun:"at"` // Unix time in nanoseconds
	Debt    int64  `bun:"debt"`
	Granted int64  `bun:"granted"`
	Advance int64  `bun:"advance"`
}

// UsageHour counts the requests of an hour.
type UsageHour struct {
	bun.BaseModel `bun:"table:usage_hours,alias:uh"`

	Workspace string    `bun:"workspace,pk"`
	Hour      time.Time `bun:"hour,pk"`
	PublicID  string    `bun:"public_id,pk"` // empty for sessions
	Route     string    `bun:"route,pk"`
	Class     string    `bun:"class,pk"`
	Code      string    `bun:"code,pk"` // empty for successes
	Requests  int64     `bun:"requests"`
	LastAt    time.Time `bun:"last_at"`
}

// UsageRequest is a recent request.
type UsageRequest struct {
	bun.BaseModel `bun:"table:usage_requests,alias:ur"`

	At        time.Time `bun:"at"`
	Workspace string    `bun:"workspace"`
	PublicID  string    `bun:"public_id"` // empty for sessions
	Route     string    `bun:"route"`
	Method    string    `bun:"method"`
	Class     string    `bun:"class"`
	Status    int64     `bun:"status"`
	Code      string    `bun:"code"` // empty for successes
	RequestID string    `bun:"request_id"`
	TookUS    int64     `bun:"took_us"`
}

// Secret is a generation of a secret, encrypted with the master key.
type Secret struct {
	bun.BaseModel `bun:"table:secrets,alias:s"`

	Purpose       string     `bun:"purpose,pk"`
	Generation    int64      `bun:"generation,pk"`
	MasterID      []byte     `bun:"master_id"`
	Box           []byte     `bun:"box"`
	CreatedAt     time.Time  `bun:"created_at"`
	HonouredUntil *time.Time `bun:"honoured_until"`
}

// Label is an operator's label of an address, or of the addresses of a class.
type Label struct {
	bun.BaseModel `bun:"table:labels,alias:l"`

	Chain      Chain         `bun:"chain,pk"`
	Subject    int64         `bun:"subject,pk"` // 1 an address, 2 a class
	Felt       starknet.Felt `bun:"felt,pk"`
	Label      string        `bun:"label"`
	Protocol   *string       `bun:"protocol"`
	Kind       string        `bun:"kind"`
	Confidence string        `bun:"confidence"`
	AddedAt    time.Time     `bun:"added_at"`
	AddedBy    string        `bun:"added_by"`
}
