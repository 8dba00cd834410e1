package account

import (
	"context"
	"crypto/hmac"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/secret"
)

// Session is a stored session: a signed-in user's access to one workspace,
// without its secret.
type Session struct {
	ID        string
	Workspace string
	Plan      Plan   // its workspace's
	Subject   string // who signed in, as the identity provider or the operator names them
	Hash      Hash
	// Generation is that of the session key that Hash was made with. The
	// session key is used instead of the pepper so that rotating it without
	// overlap signs out all users.
	Generation uint32
	CreatedAt  time.Time
	ExpiresAt  time.Time
	RevokedAt  *time.Time
	// Idle ends the session when it is not used for so long; zero means that it
	// lasts until ExpiresAt.
	Idle       time.Duration
	LastUsedAt *time.Time
}

// idleGrace keeps a session from ending early: its last use is stored late, by
// UseEvery and by the time that rows are cached.
const idleGrace = 2 * UseEvery

// Ends is when the session ends unless it is used or revoked before.
func (s Session) Ends() time.Time {
	if s.Idle == 0 {
		return s.ExpiresAt
	}
	used := s.CreatedAt
	if s.LastUsedAt != nil {
		used = *s.LastUsedAt
	}
	if idle := used.Add(s.Idle + idleGrace); idle.Before(s.ExpiresAt) {
		return idle
	}
	return s.ExpiresAt
}

// live reports whether the session is valid at a time.
func (s Session) live(now time.Time) bool { return s.RevokedAt == nil && now.Before(s.Ends()) }

const (
	// MaxSession bounds a session: rotated session keys are honoured as long.
	MaxSession = 30 * 24 * time.Hour
	// MinIdle is the shortest idle time that ends a session. Uses are stored
	// once a minute.
	MinIdle = 5 * time.Minute
	// BearerTime is the lifetime of a short-lived bearer token.
	BearerTime = 15 * time.Minute
)

// SessionStore stores sessions. Each change is one transaction with its audit
// entry; a revocation notifies all listening processes.
type SessionStore interface {
	// AddSession stores a session. Without its workspace it returns not_found.
	AddSession(ctx context.Context, s Session, entry Entry) error
	// FindSession returns a session, else not_found.
	FindSession(ctx context.Context, id string) (Session, error)
	// RevokeSession revokes a session and returns it; a revoked one is returned
	// unchanged. An unknown one is not_found.
	RevokeSession(ctx context.Context, id string, by Actor, at time.Time) (Session, error)
	// ListSessions returns the first sessions of a person in a workspace that
	// are neither revoked nor expired at a time, newest first.
	ListSessions(ctx context.Context, workspace, subject string, at time.Time, limit int) ([]Session, error)
	// RecordSessionUse stores when sessions were last used.
	RecordSessionUse(ctx context.Context, uses map[string]time.Time) error
}

// Sessions creates, checks and ends sessions. It is safe for concurrent use.
type Sessions struct {
	store   SessionStore
	ring    *secret.Ring
	now     func() time.Time
	cache   *rowCache[Session]
	bearers signer
	uses    uses
}

// NewSessions makes the service. Until Listening(true), every check reads the
// store. A process that only revokes sessions needs no ring.
func NewSessions(store SessionStore, ring *secret.Ring, now func() time.Time) *Sessions {
	return &Sessions{
		store: store, ring: ring, now: now, cache: newCache(store.FindSession, now),
		bearers: signer{kind: "svb", ring: ring, now: now},
	}
}

// Forget makes the next check of a session read the store.
func (s *Sessions) Forget(id string) { s.cache.rows.Forget(id) }

// Listening sets whether this process listens for changes and calls Forget.
// While it does not, nothing is cached.
func (s *Sessions) Listening(up bool) { s.cache.listen(up) }

// Create makes a session of a workspace and returns it with its token, which
// cannot be retrieved again.
func (s *Sessions) Create(ctx context.Context, workspace, subject string, lasts time.Duration, by Actor) (Session, SessionText, error) {
	return s.CreateWithIdle(ctx, workspace, subject, lasts, 0, by)
}

// CreateWithIdle is Create for a session that also ends when it is not used for
// the time idle; zero means no such limit.
func (s *Sessions) CreateWithIdle(ctx context.Context, workspace, subject string, lasts, idle time.Duration, by Actor) (Session, SessionText, error) {
	if lasts <= 0 || lasts > MaxSession {
		return Session{}, SessionText{}, domain.Errorf(domain.CodeInvalidRequest, "The lifetime of a session must be more than 0 and at most %s.", MaxSession)
	}
	if idle != 0 && idle < MinIdle {
		return Session{}, SessionText{}, domain.Errorf(domain.CodeInvalidRequest, "The idle time of a session must be 0 or at least %s.", MinIdle)
	}
	if err := checkPrintable("a session's subject", subject, maxName); err != nil {
		return Session{}, SessionText{}, err
	}
	text, key, now := newSessionText(), s.ring.Current(secret.Session), moment(s.now)
	session := Session{
		ID: text.SessionID, Workspace: workspace, Subject: subject, Hash: text.hash(key), Generation: key.Generation,
		CreatedAt: now, ExpiresAt: now.Add(lasts), Idle: idle.Truncate(time.Second),
	}
	if err := s.store.AddSession(ctx, session, sessionCreated(session, by)); err != nil {
		return Session{}, SessionText{}, err
	}
	return session, text, nil
}

func (t SessionText) hash(key secret.Key) Hash { return keyedHash(key, "session", t.stem()) }

// Knows reports whether Authenticate needs no uncached read of the store: the
// text is not a session token (the MAC of a bearer token is verified first), or
// its session is cached.
func (s *Sessions) Knows(text string) bool {
	claimed, err := ParseSessionText(text)
	return err != nil || s.cache.rows.Has(claimed.SessionID)
}

// Authenticate returns the caller of an Authorization header's token: a
// session token or a short-lived bearer. Whatever is wrong with it, the answer
// is the same unauthorized. A store that cannot be read is
// service_unavailable.
func (s *Sessions) Authenticate(ctx context.Context, text string) (*Caller, error) {
	if strings.HasPrefix(text, s.bearers.kind+"_") {
		return s.authenticateBearer(ctx, text)
	}
	return s.AuthenticateCookie(ctx, text)
}

// AuthenticateCookie is Authenticate for a cookie, which is a session token
// and nothing else.
func (s *Sessions) AuthenticateCookie(ctx context.Context, text string) (*Caller, error) {
	claimed, err := ParseSessionText(text)
	if err != nil {
		return nil, err
	}
	session, err := s.find(ctx, claimed.SessionID)
	if err != nil {
		return nil, err
	}
	key, known := s.ring.Key(ctx, secret.Session, session.Generation)
	if !known && session.Generation > s.ring.Current(secret.Session).Generation {
		return nil, domain.Unavailable(time.Second, nil, "The session cannot be checked yet: this process has not loaded the newest secret. Retry.")
	}
	if same := hmac.Equal(claimed.hash(key), session.Hash); !same || !known {
		return nil, unrecognisedSession()
	}
	return session.caller(session.Ends()), nil
}

func (s *Sessions) authenticateBearer(ctx context.Context, text string) (*Caller, error) {
	bearer, ok := s.bearers.open(ctx, text)
	id, workspace, _ := strings.Cut(bearer.payload, " ")
	if !ok {
		return nil, unrecognisedSession()
	}
	session, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if session.Workspace != workspace {
		return nil, unrecognisedSession()
	}
	return session.caller(earliest(bearer.expires, session.Ends())), nil
}

// find returns a session that is live, else unauthorized.
func (s *Sessions) find(ctx context.Context, id string) (Session, error) {
	session, err := s.cache.get(ctx, id)
	if domain.CodeOf(err) == domain.CodeNotFound || (err == nil && !session.live(s.now())) {
		return Session{}, unrecognisedSession()
	}
	return session, err
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func (s Session) caller(until time.Time) *Caller {
	return &Caller{Kind: BySession, Workspace: s.Workspace, Plan: s.Plan, Subject: s.ID, Until: until}
}

// Bearer is a short-lived token of a session.
type Bearer struct {
	Text      SignedText
	ExpiresAt time.Time
}

// Bearer issues a bearer token for a session's caller. It expires after
// BearerTime, or with the session. A caller without a live session is
// unauthorized.
func (s *Sessions) Bearer(ctx context.Context, c *Caller) (Bearer, error) {
	session, err := s.current(ctx, c)
	if err != nil {
		return Bearer{}, err
	}
	expires := earliest(s.now().Add(BearerTime), session.ExpiresAt).UTC().Truncate(time.Second)
	return Bearer{s.bearers.sign(expires, session.ID+" "+session.Workspace), expires}, nil
}

// Revoke revokes a session and its bearer tokens. A revoked one is returned
// unchanged; an unknown one is not_found.
func (s *Sessions) Revoke(ctx context.Context, id string, by Actor) (Session, error) {
	defer s.Forget(id)
	return s.store.RevokeSession(ctx, id, by, moment(s.now))
}
