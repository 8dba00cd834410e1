package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"astrolabe/cmd/astrolabe/child"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/repo"
)

// verifierSettings configure the builder and the controller that "up" starts.
type verifierSettings struct {
	BuilderDatabaseURL    secretText `help:"Database URL with the role astrolabe_builder, if the database is not the private one. Without it no contracts are built." placeholder:"URL"`
	ControllerDatabaseURL secretText `help:"Database URL with the role astrolabe_controller, if the database is not the private one." placeholder:"URL"`
	ReceiptKeyFile        string     `help:"Key that signs receipts. Default: receipt-key.pem in the data folder, created at the first start." type:"path" placeholder:"FILE"`
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
	return firstError(
		checkDatabaseURL("--builder-database-url", string(s.BuilderDatabaseURL)),
		checkDatabaseURL("--controller-database-url", string(s.ControllerDatabaseURL)),
		s.pinSettings.check(),
	)
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
	if s.ReceiptKeyFile == "" {
		s.ReceiptKeyFile = filepath.Join(data, "receipt-key.pem")
		if err := ensureReceiptKey(s.ReceiptKeyFile); err != nil {
			return nil, err
		}
	}
	if s.CompilerCache == "" {
		s.CompilerCache = filepath.Join(data, "compiler")
	}
	environment := receipt.Production
	if simulated {
		environment = receipt.Demo
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
		run("control", "ASTROLABE_CONTROLLER_DATABASE_URL="+controller, "ASTROLABE_RECEIPT_KEY_FILE="+s.ReceiptKeyFile, "ASTROLABE_ENVIRONMENT="+string(environment)),
	}, nil
}

// roleURLs returns the database URLs of the builder and the controller. In a
// private database their passwords are new at each start.
func (d *deployment) roleURLs(ctx context.Context, s verifierSettings) (builder, controller string, err error) {
	if d.db.server == nil {
		return string(s.BuilderDatabaseURL), string(s.ControllerDatabaseURL), nil
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
