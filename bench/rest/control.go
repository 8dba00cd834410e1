package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"astrolabe/access"
	"astrolabe/domain/account"
	"astrolabe/domain/secret"
	"astrolabe/repo"
	"astrolabe/repo/accounts"
)

// withControl runs this program again as the bare handler of some requests, in
// a separate process like the real one.
func (b *bench) withControl(ctx context.Context, requests map[string][]trip, act func(base string) error) error {
	text, err := json.Marshal(requests)
	if err != nil {
		return err
	}
	file := filepath.Join(b.work, "requests.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), os.Args[0], "-control", file) //nolint:gosec // this program
	command.Env = append(os.Environ(), databaseVariable+"="+b.db.URL)
	return whileRunning(ctx, command, act)
}

// control is a minimal handler: it authenticates the key, charges the rate
// limit, runs the statements that the service runs for the same path, and
// writes their rows.
type control struct {
	gate     *access.Gate
	pool     *pgxpool.Pool
	requests map[string][]trip
}

// serveControl serves until it is interrupted.
func serveControl(ctx context.Context, file string) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	var c control
	text, err := os.ReadFile(file) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &c.requests); err != nil {
		return err
	}
	db, err := c.open(ctx, os.Getenv(databaseVariable))
	if err != nil {
		return err
	}
	defer db.Close()
	defer c.pool.Close()
	router := chi.NewRouter()
	router.Get("/v1/{chain}/tx/{hash}", c.answer)
	router.Get("/v1/{chain}/block/{hash}", c.answer)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: router, ReadHeaderTimeout: time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open creates the gate and the connections for reads.
func (c *control) open(ctx context.Context, url string) (*repo.DB, error) {
	db, err := repo.Open(ctx, repo.Options{URL: url, MaxConns: 2 * connections})
	if err != nil {
		return nil, err
	}
	master, err := secret.ParseMaster(os.Getenv(masterVariable))
	if err != nil {
		return nil, err
	}
	ring, err := secret.Open(ctx, accounts.NewSecrets(db), master)
	if err != nil {
		return nil, err
	}
	c.gate = &access.Gate{
		Keys: account.NewKeys(accounts.NewKeys(db), ring, time.Now), Sessions: account.NewSessions(accounts.NewSessions(db), ring, time.Now),
		FirstParty: account.NewFirstParty(ring, time.Now), Quotas: account.NewQuotas(accounts.NewQuotas(db), time.Now), Failures: access.NewFailures(time.Now),
	}
	c.gate.Keys.Listening(true) // nothing is revoked in this run
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	maps.Copy(config.ConnConfig.RuntimeParams, repo.ReaderSettings())
	c.pool, err = pgxpool.NewWithConfig(ctx, config)
	return db, err
}

func (c *control) answer(w http.ResponseWriter, r *http.Request) {
	if err := c.admit(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	rows, err := c.read(r.Context(), c.requests[r.URL.Path])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(rows)
}

func (c *control) admit(w http.ResponseWriter, r *http.Request) error {
	caller, err := c.gate.Caller(r, access.Credentials{})
	if err != nil {
		return err
	}
	if err := caller.Require(account.Read); err != nil {
		return err
	}
	return c.gate.Charge(account.WithCaller(r.Context(), caller), w.Header(), account.Light, 1)
}

// read runs statements, those of a round trip in one batch, and returns their
// rows.
func (c *control) read(ctx context.Context, trips []trip) (all [][]any, err error) {
	for _, t := range trips {
		var batch pgx.Batch
		for _, s := range t {
			arguments := make([]any, len(s.Arguments))
			for i, argument := range s.Arguments {
				if argument != nil {
					arguments[i] = *argument
				}
			}
			batch.Queue(s.SQL, arguments...).Query(func(rows pgx.Rows) error {
				for rows.Next() {
					values, err := rows.Values()
					if err != nil {
						return err
					}
					all = append(all, values)
				}
				return rows.Err()
			})
		}
		if err := c.pool.SendBatch(ctx, &batch).Close(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
