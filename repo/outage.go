package repo

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// retryOutage is the Retry-After while the database is unreachable.
const retryOutage = 2 * time.Second

// retryFull is the Retry-After while the database has no space left.
const retryFull = time.Minute

// queryCanceled is the SQLSTATE of a statement that was cancelled, by a request
// or by its timeout.
const queryCanceled = "57014"

// Failure returns the error of a failed statement: the context's error if the
// context has ended, service_unavailable if the database cancelled the
// statement or is unreachable, and err otherwise.
func Failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if SQLState(err) == queryCanceled && !decided(err) {
		return domain.Unavailable(retryOutage, err, "The database query exceeded its time limit. Retry, or request less data at once.")
	}
	return Outage(err)
}

// Outage turns a failure to reach the database, and a full disk, into
// service_unavailable. Other SQL errors, domain errors and context errors are
// returned unchanged.
func Outage(err error) error {
	if err == nil || decided(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if state := SQLState(err); state != "" && !awayClass(state) || state == "" && !unreachable(err) {
		return err
	}
	if SQLState(err) == stateDiskFull {
		return domain.Unavailable(retryFull, err, "The database is full, so nothing can be written. Reads still work. Retry after the operator has freed space.")
	}
	return Unavailable(err)
}

// Unavailable returns service_unavailable for an unreachable database. The
// cause is only logged.
func Unavailable(cause error) error {
	return domain.Unavailable(retryOutage, away{cause}, "The database is unreachable. Retry.")
}

// away marks the cause of an outage as domain.ErrDatabaseAway.
type away struct{ error }

// Unwrap returns the cause.
func (a away) Unwrap() error { return a.error }

// Is implements the interface of errors.Is.
func (a away) Is(target error) bool { return target == domain.ErrDatabaseAway }

// The SQLSTATEs of a full disk and of a read-only transaction.
const (
	stateDiskFull = "53100"
	stateReadOnly = "25006"
)

// WriteFailure is Outage for writes of the index. A database that answers but
// cannot store rows is indexing.ErrStorageFull or indexing.ErrStorageReadOnly.
func WriteFailure(err error) error { return Outage(storage(err)) }

func storage(err error) error {
	switch SQLState(err) {
	case stateDiskFull:
		return fmt.Errorf("%w: %w", indexing.ErrStorageFull, err)
	case stateReadOnly:
		return fmt.Errorf("%w: %w", indexing.ErrStorageReadOnly, err)
	}
	return err
}

// decided reports whether err already is a domain.Error.
func decided(err error) bool {
	_, ok := errors.AsType[*domain.Error](err)
	return ok
}

// SQLState returns the SQLSTATE of an error from Postgres, or the empty string
// for other errors.
func SQLState(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

// Malformed reports whether scanning a row failed because a column held an
// invalid value: the row is damaged.
func Malformed(err error) bool {
	_, wrong := errors.AsType[*model.ValueError](err)
	return wrong || errors.Is(err, starknet.ErrMalformedFelt) || errors.Is(err, starknet.ErrFeltRange) || errors.Is(err, starknet.ErrUintRange)
}

// awayClass reports whether a SQLSTATE means that the server is unavailable:
// connection, resource or shutdown errors.
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
	if pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) { // nothing was sent
		return true
	}
	text := err.Error() // the driver has no types for these
	return strings.Contains(text, "unexpected EOF") || strings.Contains(text, "conn closed") ||
		strings.Contains(text, "closed pool") || strings.Contains(text, "database is closed")
}
