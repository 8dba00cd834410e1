package pg

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// handshakeLimit is how long a server that is ready may take to open a session.
const handshakeLimit = 5 * time.Second

// handshake opens and closes a session, to check that the server responds and
// accepts this user. The driver reads no file in the home directory; the caller
// removes the variables of Postgres' clients from the environment.
func handshake(ctx context.Context, socketDir string) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	address := (&Server{socketDir: socketDir}).URL("postgres") + "&sslmode=disable&passfile=" + os.DevNull
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
