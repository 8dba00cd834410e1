package pg

import (
	"errors"
	"fmt"
)

// The reasons for which Start refuses before it touches any data. Each comes
// wrapped in one sentence that says what was found and what to do about it.
var (
	// ErrFolderInUse means that another live program holds the folder.
	ErrFolderInUse = errors.New("the data folder is in use")
	// ErrOtherVersion means that the cluster was made by a major version of
	// Postgres for which no server was found.
	ErrOtherVersion = errors.New("the cluster belongs to another Postgres version")
	// ErrNoBinaries means that no usable Postgres server is installed.
	ErrNoBinaries = errors.New("no Postgres server was found")
	// ErrUnreachable means that the user as whom the server has to run cannot
	// use the folder.
	ErrUnreachable = errors.New("the server's user cannot use the folder")
	// ErrNotACluster means that the folder holds something else.
	ErrNotACluster = errors.New("the folder is not a cluster of this program")
)

// refusal is a sentence for the user that errors.Is recognises by its kind.
type refusal struct {
	kind     error
	sentence string
}

func refuse(kind error, format string, args ...any) error {
	return &refusal{kind: kind, sentence: fmt.Sprintf(format, args...)}
}

func (r *refusal) Error() string { return r.sentence }
func (r *refusal) Unwrap() error { return r.kind }
