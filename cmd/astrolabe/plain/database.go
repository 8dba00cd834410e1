package plain

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"astrolabe/repo"
)

// connection says why the database could not be reached. A name with several
// addresses has an error for each; the first is enough.
func connection(failed repo.ConnectFailure) string {
	where := failed.Host
	if !strings.HasPrefix(where, "/") {
		return net.JoinHostPort(where, strconv.Itoa(int(failed.Port))) + " " + refusal(failed)
	}
	if errors.Is(failed, fs.ErrNotExist) { // the socket of a server that does not run
		return "the server at " + where + " does not accept connections"
	}
	return "the server at " + where + " " + refusal(failed)
}

// refusal is what a server did, or why none answered.
func refusal(failed repo.ConnectFailure) string {
	if message, _, ok := repo.ServerMessage(failed); ok {
		return "refuses connections: " + message
	}
	if name, ok := errors.AsType[*net.DNSError](failed); ok {
		return "cannot be reached: the host name " + name.Name + " cannot be resolved"
	}
	if broken, ok := errors.AsType[*net.OpError](failed); ok {
		return cause(broken.Err)
	}
	if errors.Is(failed, context.DeadlineExceeded) {
		return cause(context.DeadlineExceeded)
	}
	return "cannot be used: " + failed.Unwrap().Error()
}

// withoutStates removes what only programs read from errors of Postgres: the
// severity and the code.
func withoutStates(text string, err error) string {
	if message, printed, ok := repo.ServerMessage(err); ok {
		return strings.Replace(text, printed, "the database says: "+message, 1)
	}
	return text
}
