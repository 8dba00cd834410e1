package repo

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
)

// retryOutage is when to come back while the database is away.
const retryOutage = 2 * time.Second

// outage turns a failure to reach the database into service_unavailable, so
// that callers come back later. What the database itself refused, and the
// caller's own end of time, stay as they are.
func outage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		if !awayClass(refused.Code) {
			return err
		}
	} else if !unreachable(err) {
		return err
	}
	return domain.Unavailable("the database", retryOutage, err)
}

// awayClass tells the states in which a database answers only to say that it
// cannot: connection exceptions, too few resources, shutting down or starting.
func awayClass(state string) bool {
	return strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") || strings.HasPrefix(state, "57P")
}

func unreachable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if pgconn.SafeToRetry(err) { // nothing was sent
		return true
	}
	text := err.Error() // the driver has no types for these
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") || strings.Contains(text, "closed pool")
}
