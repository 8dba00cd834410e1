package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"astrolabe/cmd/astrolabe/child"
	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/repo"
	"astrolabe/repo/index"
	verifystore "astrolabe/repo/verify"
)

// verifierSettings configure the builder and the controller that "up" starts.
type verifierSettings struct {
	BuilderDatabaseURL        secretText `help:"Database URL with the role astrolabe_builder, if the database is not the private one. Without it no contracts are built." placeholder:"URL"`
	BuilderDatabaseURLFile    string     `help:"Read the database URL of the builder from this file." type:"path" placeholder:"FILE"`
	ControllerDatabaseURL     secretText `help:"Database URL with the role astrolabe_controller, if the database is not the private one." placeholder:"URL"`
	ControllerDatabaseURLFile string     `help:"Read the database URL of the controller from this file." type:"path" placeholder:"FILE"`
	ReceiptKeyFile            string     `help:"Key that signs receipts. Default: receipt-key.pem in the data folder, created at the first start; beside it, receipt-key-production.pem or receipt-key-demo.pem if that key signs for the other kind of chain." type:"path" placeholder:"FILE"`
	pinSettings
	compilerSettings
}

// check reads the key that signs receipts, if one is set, and checks the toolchain.
func (s verifierSettings) check() error {
	if s.Builds < 1 {
		return errors.New("--builds must be at least 1")
	}
	if s.ReceiptKeyFile != "" {
		if _, err := signing.ReadFile(s.ReceiptKeyFile); err != nil {
			return fmt.Errorf("--receipt-key-file: %w", err)
		}
	}
	_, err := s.resolved()
	return firstError(err, s.pinSettings.check())
}

// resolved returns the settings with the URLs that files hold.
func (s verifierSettings) resolved() (verifierSettings, error) {
	err := readURLs(
		urlSetting{"--builder-database-url", &s.BuilderDatabaseURL, &s.BuilderDatabaseURLFile},
		urlSetting{"--controller-database-url", &s.ControllerDatabaseURL, &s.ControllerDatabaseURLFile},
	)
	return s, err
}

// verifiers returns the builder and the controller as child processes of this
// program: each has a database role of its own, and only the controller has the
// key that signs receipts.
func (d *deployment) verifiers(ctx context.Context, s verifierSettings, data, schema string, simulated bool) ([]component, error) {
	if !child.Supported {
		d.logger.Warn("contracts are not verified: their build needs the sandbox, which needs Linux")
		return nil, nil
	}
	builder, controller, err := d.roleURLs(ctx, s)
	if err != nil {
		return nil, err
	}
	if builder == "" || controller == "" {
		d.logger.Warn("contracts are not verified: set --builder-database-url and --controller-database-url")
		return nil, nil
	}
	if s.CompilerCache == "" {
		s.CompilerCache = filepath.Join(data, "compiler")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	shared := []string{
		"ASTROLABE_LOG_FORMAT=json", "ASTROLABE_DATABASE_SCHEMA=" + schema, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		"ASTROLABE_SCARB_VERSION=" + s.ScarbVersion, "ASTROLABE_SCARB_DIGEST=" + s.ScarbDigest,
	}
	run := func(command string, env ...string) component {
		return child.Child{Name: command, Path: program, Args: []string{command}, Env: append(env, shared...), Logger: d.logger}.Run
	}
	return []component{
		run("build", "ASTROLABE_BUILDER_DATABASE_URL="+builder, "ASTROLABE_CAIRO_WASM="+s.CairoWasm, "ASTROLABE_SCARB_DIR="+s.ScarbDir,
			"ASTROLABE_COMPILER_CACHE="+s.CompilerCache, "ASTROLABE_BUILDS="+strconv.Itoa(s.Builds)),
		func(ctx context.Context) error {
			key, environment, err := d.awaitReceiptKey(ctx, s.ReceiptKeyFile, data, simulated)
			if err != nil || key == "" {
				return err
			}
			return run("control", "ASTROLABE_CONTROLLER_DATABASE_URL="+controller, "ASTROLABE_RECEIPT_KEY_FILE="+key, "ASTROLABE_ENVIRONMENT="+string(environment))(ctx)
		},
	}, nil
}

// receiptKeyEvery is the interval at which awaitReceiptKey tries again.
const receiptKeyEvery = time.Second

// awaitReceiptKey returns the environment of receipts and the file of the key that
// signs them. It waits for block 0 of a node's chain, and for a database that is
// unreachable. The file is empty if ctx ends before.
func (d *deployment) awaitReceiptKey(ctx context.Context, file, data string, simulated bool) (key string, environment receipt.Environment, err error) {
	ticker := time.NewTicker(receiptKeyEvery)
	defer ticker.Stop()
	for {
		if environment, err = d.environment(ctx, simulated); err == nil && environment != "" {
			key, err = d.receiptKey(ctx, file, data, environment)
		}
		if ctx.Err() == nil && (key != "" || err != nil && !domain.DatabaseAway(err)) {
			return key, environment, err
		}
		select {
		case <-ctx.Done():
			return "", "", nil
		case <-ticker.C:
		}
	}
}

// environment returns the environment of receipts. That of a node's chain is empty
// until the indexer has read block 0: the node may be a simulated one.
func (d *deployment) environment(ctx context.Context, simulated bool) (receipt.Environment, error) {
	if simulated {
		return receipt.Demo, nil
	}
	at, err := index.NewCheckpoints(d.db.DB).Checkpoint(ctx, domain.Mainnet)
	if err != nil || at == nil || at.Genesis == nil {
		return "", err
	}
	return verify.EnvironmentOf(domain.Mainnet, *at.Genesis), nil
}

// receiptKey returns the file of the key that signs receipts, and creates it if
// there is none. A key in the data folder that is registered for the other
// environment, as after a change from simulated to real chains, stays, and another
// one signs: a key never changes its environment.
func (d *deployment) receiptKey(ctx context.Context, file, data string, environment receipt.Environment) (string, error) {
	if file != "" {
		return file, nil
	}
	file = filepath.Join(data, "receipt-key.pem")
	if err := ensureReceiptKey(file); err != nil {
		return "", err
	}
	key, err := signing.ReadFile(file)
	if err != nil {
		return "", err
	}
	registered, err := verifystore.NewKeys(d.db.DB).SigningKeys(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range registered {
		if r.ID == key.ID && r.Environment != environment {
			file = filepath.Join(data, "receipt-key-"+string(environment)+".pem")
			return file, ensureReceiptKey(file)
		}
	}
	return file, nil
}

// roleURLs returns the database URLs of the builder and the controller. In a
// private database their passwords are new at each start.
func (d *deployment) roleURLs(ctx context.Context, s verifierSettings) (builder, controller string, err error) {
	if d.db.server == nil {
		s, err = s.resolved()
		return string(s.BuilderDatabaseURL), string(s.ControllerDatabaseURL), err
	}
	superuser, err := repo.Open(ctx, repo.Options{URL: d.db.server.URL("postgres"), MaxConns: 1})
	if err != nil {
		return "", "", err
	}
	defer superuser.Close()
	url := func(role string) (string, error) {
		password := rand.Text()
		return d.db.server.PasswordURL("postgres", role, password), repo.SetRolePassword(ctx, superuser, role, password)
	}
	if builder, err = url(repo.BuilderRole); err != nil {
		return "", "", err
	}
	controller, err = url(repo.ControllerRole)
	return builder, controller, err
}
