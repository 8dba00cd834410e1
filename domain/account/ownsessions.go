package account

import (
	"context"
	"time"

	"astrolabe/domain"
)

// ListedSessions bounds the list of their sessions that a person sees, which has
// no pages.
const ListedSessions = 100

// Own returns at most ListedSessions live sessions of the person behind a
// session's caller, newest first, and whether there are more. They are those of
// the same subject in the same workspace.
func (s *Sessions) Own(ctx context.Context, c *Caller) (list []Session, truncated bool, err error) {
	current, err := s.current(ctx, c)
	if err != nil {
		return nil, false, err
	}
	now := moment(s.now)
	stored, err := s.store.ListSessions(ctx, current.Workspace, current.Subject, now, ListedSessions+1)
	if err != nil {
		return nil, false, err
	}
	for _, session := range stored[:min(len(stored), ListedSessions)] {
		if session.live(now) { // or it was idle for too long
			list = append(list, session)
		}
	}
	return list, len(stored) > ListedSessions, nil
}

// EndOwn revokes a session of the person behind a session's caller and returns
// it. A session of somebody else is not_found.
func (s *Sessions) EndOwn(ctx context.Context, c *Caller, id string) (Session, error) {
	current, err := s.current(ctx, c)
	if err != nil {
		return Session{}, err
	}
	ended, err := s.store.FindSession(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if ended.Workspace != current.Workspace || ended.Subject != current.Subject {
		return Session{}, domain.Errorf(domain.CodeNotFound, "The session does not exist.")
	}
	return s.Revoke(ctx, id, ActorOf(c))
}

// current returns the live session of a caller, else unauthorized.
func (s *Sessions) current(ctx context.Context, c *Caller) (Session, error) {
	if c == nil || c.Kind != BySession {
		return Session{}, unrecognisedSession()
	}
	return s.find(ctx, c.Subject)
}

// Used notes that the caller's session is used now. It does nothing for other
// callers.
func (s *Sessions) Used(c *Caller) {
	if c != nil && c.Kind == BySession {
		s.uses.note(c.Subject, s.now())
	}
}

// FollowUse stores when sessions were last used, at intervals and once more when
// ctx ends. Errors go to report and are retried.
func (s *Sessions) FollowUse(ctx context.Context, every time.Duration, report func(error)) {
	s.uses.follow(ctx, every, s.store.RecordSessionUse, report)
}

// StoreUse stores when sessions were last used, now.
func (s *Sessions) StoreUse(ctx context.Context) error {
	return s.uses.flush(ctx, s.store.RecordSessionUse)
}
