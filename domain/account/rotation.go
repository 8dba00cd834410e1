package account

import (
	"context"
	"time"

	"astrolabe/domain"
)

// Rotated is a workspace's new default key and those that it replaces.
type Rotated struct {
	Issued
	// Revoked are public ids, also of keys that are valid until the overlap
	// ends. There are none when the key is the first.
	Revoked []string
}

// Action is created for a first key and rotated for one that replaces another.
func (r Rotated) Action() string {
	if len(r.Revoked) == 0 {
		return "created"
	}
	return "rotated"
}

// RotateDefault makes a workspace's default key and revokes the one before, in
// one transaction. Keys that were issued otherwise are left alone. It is
// rate_limited until the next UTC day when there were too many in this one.
func (s *Keys) RotateDefault(ctx context.Context, workspace string, by Actor) (Rotated, error) {
	return s.RotateDefaultWithOverlap(ctx, workspace, 0, by)
}

// MaxOverlap bounds how long a key stays valid after it was rotated away.
const MaxOverlap = 24 * time.Hour

// overlapArgument is the overlap as clients give it.
const overlapArgument domain.Argument = "overlapSeconds"

// RotateDefaultWithOverlap is RotateDefault where the keys before stay valid for
// an overlap in seconds, so that their users can switch. A negative overlap or
// one of more than MaxOverlap is invalid_request.
func (s *Keys) RotateDefaultWithOverlap(ctx context.Context, workspace string, seconds int64, by Actor) (Rotated, error) {
	const most = int64(MaxOverlap / time.Second)
	if seconds < 0 || seconds > most {
		return Rotated{}, domain.Errorf(domain.CodeInvalidRequest, "%s must be an integer from 0 to %d, got %d.", overlapArgument, most, seconds)
	}
	overlap := time.Duration(seconds) * time.Second
	issued := s.draw(workspace, IssueRequest{Label: "default", Environment: Live, Permissions: SelfServe})
	issued.Key.Default = true
	revoked, err := s.store.ReplaceDefaultKey(ctx, issued.Key, keyIssued(issued.Key, by), by, issued.Key.CreatedAt.Add(overlap), mayRotate(issued.Key.CreatedAt))
	if err != nil {
		return Rotated{}, err
	}
	for _, id := range revoked {
		s.Forget(id)
	}
	return Rotated{Issued: issued, Revoked: revoked}, nil
}

// rotationsEachDay bounds the default keys of a workspace in a UTC day: each is
// a row and a line in the audit log.
const rotationsEachDay = 20

func mayRotate(at time.Time) Rotating {
	return func(today int) error {
		if today < rotationsEachDay {
			return nil
		}
		tooMany := domain.Errorf(domain.CodeRateLimited, "The default key was already issued %d times today, which is the limit per UTC day. Retry after midnight UTC.", today)
		tooMany.RetryAfter = Day(at).AddDate(0, 0, 1).Sub(at)
		return tooMany
	}
}
