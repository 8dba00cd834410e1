package pg

import (
	"context"
	"path/filepath"
)

// Attach returns the ServiceURL of a database on the server that another program
// runs in the folder, for commands that run next to it. It fails if no server
// responds.
func Attach(ctx context.Context, dir, database string) (string, error) {
	f, err := resolveFolder(dir)
	if err != nil {
		return "", err
	}
	socket, err := filepath.EvalSymlinks(f.socket()) // the socket folder may be a link to a short path
	if err != nil {
		return "", err
	}
	if err := handshake(ctx, socket); err != nil {
		return "", err
	}
	return (&Server{socketDir: socket}).ServiceURL(database), nil
}

// Exists reports whether the folder may have a cluster: it is false if Start would
// create one.
func Exists(dir string) bool {
	f, err := resolveFolder(dir)
	if err != nil {
		return true // Start says what is wrong
	}
	version, err := f.version()
	return err != nil || version != ""
}
