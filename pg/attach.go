package pg

import (
	"context"
	"path/filepath"
)

// Attach answers how to reach a database of the server that another program
// runs in the folder, for commands that work beside it. It fails when no
// server answers there.
func Attach(ctx context.Context, dir, database string) (string, error) {
	f, err := resolveFolder(dir)
	if err != nil {
		return "", err
	}
	socket, err := filepath.EvalSymlinks(f.socket()) // a link leads to a short path
	if err != nil {
		return "", err
	}
	if err := handshake(ctx, socket); err != nil {
		return "", err
	}
	return (&Server{socketDir: socket}).URL(database), nil
}
