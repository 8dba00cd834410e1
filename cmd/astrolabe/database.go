package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"astrolabe/failpoint"
	"astrolabe/pg"
	"astrolabe/repo"
)

// ignoreClientVariables removes the variables of Postgres' own clients from the
// environment (PGHOST, PGPASSWORD, PGSERVICE, PGSSLMODE and so on): the driver
// would read them, and one that was left in a shell would change which database
// is used and how. Only the settings of this program choose the database.
func ignoreClientVariables() {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			_ = os.Unsetenv(name) // the name comes from the environment, so it is valid
		}
	}
}

// database is an open database and, when it is a private one, its server.
type database struct {
	*repo.DB
	server *pg.Server // nil when the operator supplied the database
}

// withDatabase calls act with the configured database. If another process runs
// the private server of the data folder, it connects to that one.
func withDatabase(ctx context.Context, c *console, s databaseSettings, act func(*database) error) error {
	db, err := openDatabase(ctx, c, s)
	if errors.Is(err, pg.ErrFolderInUse) {
		db, err = attachDatabase(ctx, c, s, err)
	}
	if err != nil {
		return err
	}
	defer db.close()
	return act(db)
}

// attachDatabase connects to the private server of a running process. If that
// fails, it returns the refusal of the folder.
func attachDatabase(ctx context.Context, c *console, s databaseSettings, refusal error) (*database, error) {
	address, err := pg.Attach(ctx, filepath.Join(s.Data, "postgres"), "postgres")
	if err != nil {
		return nil, refusal
	}
	db, err := repo.Open(ctx, repo.Options{URL: address, MaxConns: s.DatabaseConns, Metrics: c.metrics, Tracing: c.tracing})
	if err != nil {
		return nil, err
	}
	return &database{DB: db}, nil
}

// openDatabase opens the operator's database, or starts the private one.
func openDatabase(ctx context.Context, c *console, s databaseSettings) (*database, error) {
	address, err := s.url()
	if err != nil {
		return nil, err
	}
	var server *pg.Server
	if address == "" {
		if server, err = startPrivate(ctx, c, s); err != nil {
			return nil, err
		}
		address = server.ServiceURL("postgres")
		if err := repo.CreateRole(ctx, server.URL("postgres"), pg.ServiceRole); err != nil {
			(&database{server: server}).close()
			return nil, err
		}
	}
	db, err := repo.Open(ctx, repo.Options{URL: address, MaxConns: s.DatabaseConns, Metrics: c.metrics, Tracing: c.tracing})
	opened := &database{DB: db, server: server}
	if err == nil {
		return opened, nil
	}
	opened.close()
	if errors.Is(err, repo.ErrAddress) {
		return nil, usageError{err}
	}
	return nil, err
}

// close closes the connections and stops a private server.
func (d *database) close() {
	if d.DB != nil {
		d.Close()
	}
	if d.server != nil {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = d.server.Stop(stopping) // the server logs why it did not stop in time
	}
}

// done is closed when a private server has exited for good. It is nil for other
// databases.
func (d *database) done() <-chan struct{} {
	if d.server == nil {
		return nil
	}
	return d.server.Done()
}

func (s databaseSettings) url() (string, error) {
	address, err := secretFrom("database URL", s.DatabaseURL, s.DatabaseURLFile)
	if err != nil || address == "" {
		return address, err
	}
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "postgres" && parsed.Scheme != "postgresql") {
		return "", usageError{errors.New("the database URL must begin with postgres://")} // the URL itself may hold a password
	}
	_, password := parsed.User.Password()
	if (password || parsed.Query().Has("password")) && onCommandLine(os.Args, "--database-url") {
		return "", usageError{errors.New("every user of this machine can read the password in --database-url; pass it through ASTROLABE_DATABASE_URL or a file")}
	}
	return address, nil
}

// onCommandLine reports whether a flag was passed as an argument.
func onCommandLine(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == flag || strings.HasPrefix(arg, flag+"=")
	})
}

func startPrivate(ctx context.Context, c *console, s databaseSettings) (*pg.Server, error) {
	if err := os.MkdirAll(s.Data, 0o711); err != nil { // the server's user must be able to pass through
		return nil, usageError{fmt.Errorf("create the data folder: %w", err)}
	}
	server, err := pg.Start(ctx, pg.Options{
		Dir: filepath.Join(s.Data, "postgres"), BinDir: s.PostgresBin, Logger: c.logger, Restart: true,
		PasswordRoles: []string{repo.BuilderRole, repo.ControllerRole},
		Step:          func(name string) { failpoint.Hit("postgres." + name) },
	})
	for _, refusal := range []error{
		pg.ErrFolderInUse, pg.ErrNoBinaries, pg.ErrNotACluster, pg.ErrOtherVersion, pg.ErrUnreachable,
		fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR,
	} {
		if errors.Is(err, refusal) {
			return nil, usageError{err}
		}
	}
	return server, err
}
