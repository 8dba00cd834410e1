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

// database is an open database and, when it is a private one, its server.
type database struct {
	*repo.DB
	server *pg.Server // nil when the operator supplied the database
}

// withDatabase opens the configured database for the time of act: also one
// that another process of this program runs in the data folder.
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

// attachDatabase reaches the private server of a running process. When none
// answers, the folder's refusal stands.
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
		address = server.URL("postgres")
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

// close gives the connections back and stops a private server.
func (d *database) close() {
	if d.DB != nil {
		d.Close()
	}
	if d.server != nil {
		stopping, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = d.server.Stop(stopping) // its own log tells why it did not stop in time
	}
}

// done is closed when a private server ended; it never is for another's.
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
		return "", usageError{errors.New("--database-url holds a password, which every user of this machine can read; put it into ASTROLABE_DATABASE_URL or a file")}
	}
	return address, nil
}

// onCommandLine reports whether a flag was written out as an argument.
func onCommandLine(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == flag || strings.HasPrefix(arg, flag+"=")
	})
}

func startPrivate(ctx context.Context, c *console, s databaseSettings) (*pg.Server, error) {
	if err := os.MkdirAll(s.Data, 0o711); err != nil { // the server's user must be able to pass through
		return nil, usageError{fmt.Errorf("the data folder cannot be made: %w", err)}
	}
	server, err := pg.Start(ctx, pg.Options{
		Dir: filepath.Join(s.Data, "postgres"), BinDir: s.PostgresBin, Logger: c.logger,
		Step: func(name string) { failpoint.Hit("postgres." + name) },
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
