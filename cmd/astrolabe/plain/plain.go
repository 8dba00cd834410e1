package plain

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"astrolabe/domain"
	"astrolabe/repo"
)

// Message returns the text of an error in one line, without the code that it has
// in the API, and with the errors of the system and the network in plain words.
func Message(err error) string {
	text := err.Error()
	coded, hasCode := errors.AsType[*domain.Error](err)
	if hasCode {
		text = strings.Replace(text, string(coded.Code)+": ", "", 1)
	}
	if failed, ok := repo.AsConnectFailure(err); ok {
		text = strings.Replace(text, failed.Error(), connection(failed), 1)
	}
	if hasCode && domain.DatabaseAway(err) { // the message is for clients of the API
		text = strings.Replace(text, coded.Message+": ", "", 1)
	}
	text = withoutStates(text, err)
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.Replace(text, path.Error(), path.Path+" "+cause(path.Err), 1)
	}
	if broken, ok := errors.AsType[*net.OpError](err); ok {
		text = strings.Replace(text, broken.Error(), network(broken), 1)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = strings.Replace(text, context.DeadlineExceeded.Error(), "there was no answer in time", 1)
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// network says what failed at which address.
func network(broken *net.OpError) string {
	where := ""
	if broken.Addr != nil {
		where = broken.Addr.String() + " "
	}
	if name, ok := errors.AsType[*net.DNSError](broken); ok {
		return "the host name " + name.Name + " cannot be resolved"
	}
	return where + cause(broken.Err)
}

// causes are the errors of the system that operators meet, as predicates of a file
// or an address.
var causes = []struct {
	err  error
	text string
}{
	{syscall.EADDRINUSE, "is in use by another process"},
	{syscall.EADDRNOTAVAIL, "is not an address of this machine"},
	{syscall.EACCES, "may not be used by this user"},
	{syscall.EPERM, "may not be used by this user"},
	{syscall.ECONNREFUSED, "does not accept connections"},
	{syscall.ECONNRESET, "closed the connection"},
	{syscall.EHOSTUNREACH, "cannot be reached"},
	{syscall.ENETUNREACH, "cannot be reached"},
	{syscall.ENOENT, "does not exist"},
	{syscall.ENOTDIR, "is not a folder"},
	{syscall.EISDIR, "is a folder"},
	{syscall.EROFS, "is on a read-only file system"},
	{syscall.ENOSPC, "is on a full disk"},
	{context.DeadlineExceeded, "did not answer in time"},
}

func cause(err error) string {
	for _, c := range causes {
		if errors.Is(err, c.err) {
			return c.text
		}
	}
	if timeout, ok := err.(interface{ Timeout() bool }); ok && timeout.Timeout() {
		return "did not answer in time"
	}
	return "cannot be used: " + err.Error()
}
