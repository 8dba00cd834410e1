package repo

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// ConnectFailure is the error of a connection that could not be opened.
type ConnectFailure struct {
	// Host is a folder if the server listens on a socket.
	Host string
	Port uint16

	cause *pgconn.ConnectError
}

// Error implements error.
func (f ConnectFailure) Error() string { return f.cause.Error() }

// Unwrap returns the cause.
func (f ConnectFailure) Unwrap() error { return f.cause.Unwrap() }

// AsConnectFailure returns the failed connection that caused an error, if one did.
func AsConnectFailure(err error) (ConnectFailure, bool) {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return ConnectFailure{}, false
	}
	return ConnectFailure{Host: failed.Config.Host, Port: failed.Config.Port, cause: failed}, true
}

// ServerMessage returns the message of the database server that caused an error,
// and the text of that error, which also has its severity and its SQLSTATE.
func ServerMessage(err error) (message, text string, ok bool) {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return "", "", false
	}
	return refused.Message, refused.Error(), true
}
