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
	"astrolabe/telemetry"
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

// withDatabase calls act with the database of an existing deployment. If another
// process runs the private server of the data folder, it connects to that one.
func withDatabase(ctx context.Context, c *console, s databaseSettings, act func(*database) error) error {
	return withDatabaseOr(ctx, c, s, mustExist, act)
}

// creation says whether a command may create a deployment.
type creation bool

const (
	mustExist creation = false
	mayCreate creation = true
)

// withDatabaseOr is withDatabase for a command that may create a deployment.
func withDatabaseOr(ctx context.Context, c *console, s databaseSettings, may creation, act func(*database) error) error {
	db, err := openDatabase(ctx, c, s, may)
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
	db, err := repo.Open(ctx, s.options(c, address))
	if err != nil {
		return nil, err
	}
	return &database{DB: db}, nil
}

// options are the settings of the connections.
func (s databaseSettings) options(c *console, address string) repo.Options {
	return repo.Options{
		URL: address, DirectURL: string(s.DatabaseDirectURL), ReadURL: string(s.DatabaseReadURL), Schema: s.DatabaseSchema,
		MaxConns: s.DatabaseConns, Listeners: listeners, Logger: c.logger, Metrics: c.metrics, Tracing: c.tracing,
	}
}

// listeners are the connections on which a process is notified: of revocations,
// epochs, blocks, verification jobs and jobs of the queue.
const listeners = 5

// openDatabase opens the operator's database, or starts the private one. Unless
// the command may create a deployment, there must be one.
func openDatabase(ctx context.Context, c *console, s databaseSettings, may creation) (*database, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	address := string(s.DatabaseURL)
	var server *pg.Server
	if address == "" {
		if err := s.mustHaveFolder(may); err != nil {
			return nil, err
		}
		if server, err = startPrivate(ctx, c, s); err != nil {
			return nil, err
		}
		address = server.ServiceURL("postgres")
		if err := repo.CreateRole(ctx, server.URL("postgres"), pg.ServiceRole); err != nil {
			(&database{server: server}).close()
			return nil, err
		}
	}
	db, err := repo.Open(ctx, s.options(c, address))
	opened := &database{DB: db, server: server}
	if err == nil && may == mustExist {
		err = opened.mustBeDeployed(ctx)
	}
	if err == nil {
		return opened, nil
	}
	opened.close()
	if errors.Is(err, repo.ErrAddress) || errors.Is(err, repo.ErrPooler) {
		return nil, usageError{err}
	}
	return nil, err
}

// mustHaveFolder refuses a data folder without a private database, unless there is
// a database URL or the command may create a deployment.
func (s databaseSettings) mustHaveFolder(may creation) error {
	if may == mayCreate || s.DatabaseURL != "" || pg.Exists(filepath.Join(s.Data, "postgres")) {
		return nil
	}
	return usageError{fmt.Errorf("there is no deployment in %s: set ASTROLABE_DATABASE_URL, or pass the data folder of an existing deployment with --data, or create one with: astrolabe up", s.Data)}
}

// mustBeDeployed refuses a database without a deployment.
func (d *database) mustBeDeployed(ctx context.Context) error {
	deployed, err := d.Deployed(ctx)
	if err != nil || deployed {
		return err
	}
	if d.server != nil {
		return usageError{errors.New("the deployment in the data folder is not complete: complete it with: astrolabe up")}
	}
	return usageError{errors.New("the database has no deployment: create one with: astrolabe migrate up")}
}

// Migrate is repo.DB.Migrate. A schema of another program is a wrong setting, and so
// is another schema than that of the deployment.
func (d *database) Migrate(ctx context.Context) ([]string, error) {
	applied, err := d.DB.Migrate(ctx)
	if errors.Is(err, repo.ErrForeignSchema) || errors.Is(err, repo.ErrOtherSchema) {
		return nil, usageError{err}
	}
	return applied, err
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

// resolved returns the settings with the URLs that files hold. Without
// DatabaseURL, the database is the private one.
func (s databaseSettings) resolved() (databaseSettings, error) {
	err := readURLs(
		urlSetting{"--database-url", &s.DatabaseURL, &s.DatabaseURLFile},
		urlSetting{"--database-direct-url", &s.DatabaseDirectURL, &s.DatabaseDirectURLFile},
		urlSetting{"--database-read-url", &s.DatabaseReadURL, &s.DatabaseReadURLFile},
	)
	if err != nil {
		return s, err
	}
	if s.DatabaseURL == "" && (s.DatabaseDirectURL != "" || s.DatabaseReadURL != "") {
		return s, usageError{errors.New("--database-direct-url and --database-read-url need --database-url")}
	}
	if err := checkSchema(s.DatabaseSchema); err != nil {
		return s, usageError{err}
	}
	return s, nil
}

// urlSetting is a database URL, or the file that holds it.
type urlSetting struct {
	flag string
	url  *secretText
	file *string
}

// readURLs replaces files by the URLs that they hold, and checks every URL.
func readURLs(settings ...urlSetting) error {
	for _, s := range settings {
		text, err := secretFrom(s.flag, *s.url, *s.file)
		if err == nil {
			err = checkDatabaseURL(s.flag, text)
		}
		if err != nil {
			return err
		}
		*s.url, *s.file = secretText(text), ""
	}
	return nil
}

// checkDatabaseURL refuses a URL that is none, or whose password every user of the
// machine can read.
func checkDatabaseURL(flag, address string) error {
	if address == "" {
		return nil
	}
	// The URL may hold a password, so that no error shows it.
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return usageError{fmt.Errorf("%s must begin with postgres://", flag)}
	}
	if err := repo.CheckAddress(address); err != nil {
		return usageError{fmt.Errorf("%s: %w", flag, err)}
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return err
	}
	_, password := parsed.User.Password()
	if (password || parsed.Query().Has("password")) && onCommandLine(os.Args, flag) {
		variable := "ASTROLABE_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))
		return usageError{fmt.Errorf("every user of this machine can read the password in %s; pass it through %s or a file", flag, variable)}
	}
	return nil
}

// onCommandLine reports whether a flag was passed as an argument.
func onCommandLine(args []string, flag string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == flag || strings.HasPrefix(arg, flag+"=")
	})
}

func startPrivate(ctx context.Context, c *console, s databaseSettings) (*pg.Server, error) {
	err := pg.Installed(ctx, s.PostgresBin) // before the folder is created
	if err != nil && s.PostgresBin != "" {
		err = fmt.Errorf("--postgres-bin: %w", err)
	}
	if err != nil {
		return nil, usageError{err}
	}
	if err := os.MkdirAll(s.Data, 0o711); err != nil { // the server's user must be able to pass through
		return nil, usageError{fmt.Errorf("--data: %w", err)}
	}
	server, err := pg.Start(ctx, pg.Options{
		Dir: filepath.Join(s.Data, "postgres"), BinDir: s.PostgresBin, Logger: telemetry.Sparse(c.logger, telemetry.Kind), Restart: true,
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
