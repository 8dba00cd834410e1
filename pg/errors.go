package pg

import (
	"errors"
	"fmt"
)

// Errors of Start before it changes any data. Each is wrapped in a message that
// says what was found and what to do.
var (
	// ErrFolderInUse means that another running program uses the folder.
	ErrFolderInUse = errors.New("the data folder is in use")
	// ErrOtherVersion means that no server of the major version that created
	// the cluster was found.
	ErrOtherVersion = errors.New("the cluster belongs to another Postgres version")
	// ErrNoBinaries means that no usable Postgres server is installed.
	ErrNoBinaries = errors.New("no Postgres server was found")
	// ErrUnreachable means that the user that the server runs as cannot use the
	// folder.
	ErrUnreachable = errors.New("the server's user cannot use the folder")
	// ErrNotACluster means that the folder holds something else.
	ErrNotACluster = errors.New("the folder is not a cluster of this program")
)

// refusal is a message for the user that matches its kind with errors.Is.
type refusal struct {
	kind     error
	sentence string
}

func refuse(kind error, format string, args ...any) error {
	return &refusal{kind: kind, sentence: fmt.Sprintf(format, args...)}
}

func (r *refusal) Error() string { return r.sentence }
func (r *refusal) Unwrap() error { return r.kind }
