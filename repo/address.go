package repo

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrAddress reports a database URL that cannot be parsed.
var ErrAddress = errors.New("the database URL cannot be used")

// CheckAddress returns ErrAddress with a reason if a database URL cannot be parsed.
// The error does not show the URL, which may hold a password.
func CheckAddress(address string) error {
	_, err := parseAddress(address)
	return err
}

// parseAddress parses a database URL. Files in the home directory do not change
// its meaning: passwords and certificates come from the URL, or from files that
// it names. The caller removes the variables of Postgres' clients from the
// environment, which the driver would read too.
func parseAddress(address string) (*pgxpool.Config, error) {
	parsed, err := url.Parse(address)
	if err != nil { // the cause quotes the URL
		return nil, fmt.Errorf("%w: it cannot be parsed; write special characters of its password as percent escapes, such as %%40 for @", ErrAddress)
	}
	if parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return nil, fmt.Errorf("%w: it must begin with postgres://", ErrAddress)
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
		return nil, fmt.Errorf("%w: %s", ErrAddress, parseReason(err))
	}
	return config, nil
}

// parseReason returns the reason of an error of the driver, without the URL and
// without errors of Go. Both stand in its text: cannot parse `URL`: REASON (ERROR).
func parseReason(err error) string {
	_, reason, _ := strings.Cut(err.Error(), "`: ")
	if tls, found := strings.CutPrefix(reason, "failed to configure TLS ("); found {
		return strings.TrimSuffix(tls, ")")
	}
	reason, _, _ = strings.Cut(reason, " (")
	return reason
}

// Place names the database of a DB for the log, without secrets.
func Place(db *DB) slog.Attr {
	conn := db.pool.Config().ConnConfig
	return slog.GroupAttrs("database", slog.String("host", conn.Host), slog.Int("port", int(conn.Port)), slog.String("name", conn.Database), slog.String("schema", db.schema))
}
