package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// variable names a server to use instead of a private one. Its role must be
// allowed to create databases.
const variable = "ASTROLABE_TEST_DATABASE_URL"

// host is the server of this process, private or given.
type host struct {
	admin   *url.URL
	private *privateServer // nil for a given server
	label   string         // distinguishes the databases of this process
	count   atomic.Int64

	mu        sync.Mutex
	templates map[uintptr]*filled
	clones    map[string]bool // templates that have a shared clone
	closers   []func()
}

var (
	hostMu  sync.Mutex
	current *host
	hostErr error
)

// theHost starts or finds the server on first use. A failure is stored, because
// it would repeat in every test.
func theHost() (*host, error) {
	hostMu.Lock()
	defer hostMu.Unlock()
	if current == nil && hostErr == nil {
		current, hostErr = newHost()
	}
	return current, hostErr
}

func newHost() (*host, error) {
	h := &host{label: strings.ToLower(rand.Text()[:10]), templates: map[uintptr]*filled{}, clones: map[string]bool{}}
	address := os.Getenv(variable)
	if address == "" {
		private, err := startPrivate()
		if err != nil {
			return nil, err
		}
		h.private, address = private, private.server.URL("postgres")
	}
	admin, err := url.Parse(address)
	if err != nil || admin.Scheme == "" {
		return nil, fmt.Errorf("%s is not a postgres:// URL", variable)
	}
	// Statements of tests name tables as the program does, without its schema.
	query := admin.Query()
	query.Set("search_path", "astrolabe,public")
	admin.RawQuery = query.Encode()
	h.admin = admin
	return h, nil
}

// stop drops the databases of this process on a given server, or stops the
// private one. Main calls it after the last test.
func stop() {
	hostMu.Lock()
	defer hostMu.Unlock()
	if current == nil {
		return
	}
	if err := current.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
	current = nil
}

func (h *host) stop() error {
	for _, closeIt := range h.closers {
		closeIt()
	}
	if h.private != nil {
		return h.private.stop()
	}
	var failures error
	for source := range h.clones {
		failures = errors.Join(failures, h.drop(context.Background(), "shared_"+source))
	}
	for _, made := range h.templates {
		failures = errors.Join(failures, h.drop(context.Background(), made.name))
	}
	return failures
}

func (h *host) newName(kind string) string {
	return fmt.Sprintf("%s_%s_%d", kind, h.label, h.count.Add(1))
}

func (h *host) url(database string) string {
	address := *h.admin
	address.Path = "/" + database
	return address.String()
}

// copies makes a clone copy files, which takes a fifth of the time of writing
// pages to the log. Since version 15 Postgres needs this option; older versions
// always copy.
const copies = " STRATEGY FILE_COPY"

func (h *host) execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, h.admin.String())
	if err != nil {
		return err
	}
	if conn.PgConn().ParameterStatus("server_version") < "15" {
		statement = strings.TrimSuffix(statement, copies)
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}
