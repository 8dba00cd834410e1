package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"astrolabe/cmd/astrolabe/wholefile"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	verifyjobs "astrolabe/jobs/verify"
	"astrolabe/repo"
	verifystore "astrolabe/repo/verify"
)

// controlCommand compares built classes with their declarations and signs
// receipts.
type controlCommand struct {
	DatabaseURL     secretText `help:"Postgres database, with the role astrolabe_controller. Pass it through the environment or a file." env:"ASTROLABE_CONTROLLER_DATABASE_URL" placeholder:"URL"`
	DatabaseURLFile string     `help:"Read the database URL from this file." env:"ASTROLABE_CONTROLLER_DATABASE_URL_FILE" type:"path" placeholder:"FILE"`
	DatabaseSchema  string     `help:"Schema of the tables in the database." default:"astrolabe"`
	pinSettings
	ReceiptKey     secretText          `help:"Key that signs receipts, as PEM. Set it in the environment, never on the command line." hidden:""`
	ReceiptKeyFile string              `help:"Read the key that signs receipts from this file: an Ed25519 key in PKCS#8 PEM, which only its owner can read." type:"path" placeholder:"FILE"`
	Environment    receipt.Environment `help:"What the receipts are about: production for a real chain, demo for a simulated one." enum:"production,demo" default:"production"`
	AdminAddr      string              `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." env:"ASTROLABE_CONTROLLER_ADMIN_ADDR"`
}

// Validate checks the settings before anything starts.
func (k controlCommand) Validate() error {
	if k.ReceiptKey == "" && k.ReceiptKeyFile == "" {
		return errors.New("set --receipt-key-file, or ASTROLABE_RECEIPT_KEY, to the key that signs receipts (openssl genpkey -algorithm ed25519 -out FILE; chmod 600 FILE)")
	}
	_, err := k.key()
	return firstError(err, k.check(), checkAdmin(k.AdminAddr))
}

// Run compares until a stop signal.
func (k controlCommand) Run(ctx context.Context, c *console) error {
	key, err := k.key()
	if err != nil {
		return err
	}
	return asRole(ctx, c, repo.ControllerRole, databaseSettings{DatabaseURL: k.DatabaseURL, DatabaseURLFile: k.DatabaseURLFile, DatabaseSchema: k.DatabaseSchema, DatabaseConns: roleConns}, k.AdminAddr, func(d *deployment) ([]component, error) {
		store := verifystore.NewAdmissions(d.db.DB)
		service := verify.NewController(store, key, k.Environment, k.toolchain(), time.Now)
		service.OnTransition(d.countTransition)
		controller := &verifyjobs.Controller{
			Service: service, ID: processID(), Listen: verifystore.NewBuilds(d.db.DB).Listen, Log: verifystore.NewLog(d.db.DB), Logger: d.logger,
		}
		return []component{controller.Run}, nil
	})
}

// key reads the key that signs receipts.
func (k controlCommand) key() (signing.Key, error) {
	if k.ReceiptKey != "" && k.ReceiptKeyFile != "" {
		return signing.Key{}, usageError{errors.New("the key that signs receipts is set both directly and as a file; set only one")}
	}
	read := func() (signing.Key, error) { return signing.ReadFile(k.ReceiptKeyFile) }
	if k.ReceiptKey != "" {
		read = func() (signing.Key, error) { return signing.Parse([]byte(k.ReceiptKey)) }
	}
	key, err := read()
	if err != nil {
		return signing.Key{}, usageError{fmt.Errorf("read the key that signs receipts: %w", err)}
	}
	return key, nil
}

// ensureReceiptKey creates the key that signs receipts in a file, unless there is
// one.
func ensureReceiptKey(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := signing.New(private).Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o711); err != nil {
		return err
	}
	if err := wholefile.Create(path, text); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// asRole runs components with a database in which this process may do only what
// its role needs. It neither migrates nor has the secrets of the deployment.
func asRole(ctx context.Context, c *console, role string, s databaseSettings, adminAddress string, start func(*deployment) ([]component, error)) error {
	s, err := s.resolved()
	if err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		return usageError{fmt.Errorf("set a database URL with the role %s", role)}
	}
	c.logStart()
	db, err := repo.Open(ctx, s.options(c, string(s.DatabaseURL)))
	if err != nil {
		return err
	}
	c.logger.Info("using the database", repo.Place(db))
	d := newDeployment(c, &database{DB: db})
	if err := db.ConfirmRole(ctx, role); err != nil {
		db.Close()
		return usageError{err}
	}
	return d.runAll(ctx, adminAddress, func(*admin) ([]component, error) { return start(d) })
}

// roleConns is the number of connections of a builder or controller.
const roleConns = listeners + 4

// processID identifies a builder or controller.
func processID() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s:%d:%d", host, os.Getpid(), time.Now().UnixNano())
}
