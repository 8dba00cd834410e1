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
