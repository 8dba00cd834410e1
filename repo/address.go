package repo

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrAddress reports a database URL that cannot be parsed.
var ErrAddress = errors.New("the database address is malformed")

// parseAddress parses a database URL. Files in the home directory do not change
// its meaning: passwords and certificates come from the URL, or from files that
// it names. The caller removes the variables of Postgres' clients from the
// environment, which the driver would read too.
func parseAddress(address string) (*pgxpool.Config, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return nil, ErrAddress // the cause quotes the URL, which may hold a password
	}
	query := parsed.Query()
	for key, none := range map[string]string{"passfile": os.DevNull, "sslcert": "", "sslkey": "", "sslrootcert": ""} {
		if !query.Has(key) {
			query.Set(key, none)
		}
	}
	parsed.RawQuery = query.Encode()
	config, err := pgxpool.ParseConfig(parsed.String())
	if err != nil {
		_, plain := pgxpool.ParseConfig(address) // its message quotes the URL as it was set
		return nil, fmt.Errorf("%w: %w", ErrAddress, cmp.Or(plain, err))
	}
	return config, nil
}

// Place names the database of a DB for the log, without secrets.
func Place(db *DB) slog.Attr {
	conn := db.pool.Config().ConnConfig
	return slog.GroupAttrs("database", slog.String("host", conn.Host), slog.Int("port", int(conn.Port)), slog.String("name", conn.Database), slog.String("schema", db.schema))
}
