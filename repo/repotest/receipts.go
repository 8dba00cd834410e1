package repotest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify"
	"astrolabe/domain/verify/receipt"
	"astrolabe/domain/verify/signing"
	"astrolabe/domain/verify/transparency"
	"astrolabe/repo"
	store "astrolabe/repo/verify"
	"astrolabe/sim/classes"
)

// ReceiptKey signs the receipts of Receipts.
var ReceiptKey = signing.New(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)))

// ReceiptToolchain is the toolchain that ReceiptKey signs for.
var ReceiptToolchain = verify.Toolchain{Name: "cairo-wasm", Version: "2.8.2", Digest: "sha256:" + strings.Repeat("5a", 32)}

// Receipted is the template of Followed with the jobs of Receipts.
func Receipted(ctx context.Context, url string) error {
	if err := Followed(ctx, url); err != nil {
		return err
	}
	return Receipts(ctx, url)
}

// Receipts verifies a declared class of the index in the database at a URL, as
// builders and controllers do: seven jobs succeed, the next one is a mismatch, one
// fails, one is cancelled, and one is still compared. The log has five of the
// receipts, signed in two states, and two wait for it.
func Receipts(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	db, err := repo.Open(ctx, repo.Options{URL: asRole(address, repo.ControllerRole)})
	if err != nil {
		return err
	}
	defer db.Close()
	v := &verifying{ctx: ctx, conn: conn, controller: verify.NewController(store.NewAdmissions(db), ReceiptKey, receipt.Demo, ReceiptToolchain, time.Now)}
	v.do("INSERT INTO workspaces (id, name, plan, created_at) VALUES ('receipts', 'receipts', 'standard', now())")
	declared, other := v.classes()
	v.try(func() error { return v.controller.Check(ctx) })
	for range 7 {
		v.compare(v.built(declared, declared))
	}
	v.compare(v.built(declared, other))
	v.do("UPDATE verification_jobs SET state = 7, finished_at = now(), failure_code = 'build_failed', failure_message = 'It does not compile.' WHERE id = $1", v.job(declared, 3))
	v.do("UPDATE verification_jobs SET state = 8, finished_at = now() WHERE id = $1", v.job(declared, 1))
	v.built(declared, declared)
	for _, most := range []int{3, 2} {
		v.try(func() error {
			signer, err := v.controller.Signer(ctx)
			if err != nil {
				return err
			}
			_, err = store.NewLog(db).Grow(ctx, most, func(newest *transparency.Checkpoint, pending []transparency.Pending, stored tlog.HashReader) (*transparency.Growth, error) {
				return transparency.Grow(newest, pending, stored, signer, domain.Milliseconds(time.Now()))
			})
			return err
		})
	}
	return v.err
}

// verifying makes jobs. After a failure it does nothing more.
type verifying struct {
	ctx        context.Context
	conn       *pgx.Conn
	controller *verify.Controller
	jobs       int
	err        error
}

func (v *verifying) try(act func() error) {
	if v.err == nil {
		v.err = act()
	}
}

func (v *verifying) do(statement string, args ...any) {
	v.try(func() error {
		if _, err := v.conn.Exec(v.ctx, statement, args...); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		return nil
	})
}

// classes returns a class that a transaction of a final block declares, and another
// one.
func (v *verifying) classes() (declared, other *classes.Class) {
	v.try(func() error {
		all, err := classes.Load()
		for _, class := range all {
			if err != nil || class.CompiledHash.IsZero() {
				continue
			}
			var final bool
			if err = v.conn.QueryRow(v.ctx, `SELECT EXISTS (SELECT FROM declarations d JOIN classes k ON k.chain = d.chain AND k.id = d.class JOIN index_checkpoints c ON c.chain = d.chain
				WHERE k.hash = $1 AND d.tx IS NOT NULL AND d.block <= c.finalized_block)`, class.Hash).Scan(&final); final && declared == nil {
				declared = class
			} else {
				other = class
			}
		}
		if err == nil && (declared == nil || other == nil) {
			err = errors.New("no Sierra class is declared in a final block, or all are")
		}
		return err
	})
	return declared, other
}

// job adds a job that selects a class and has moved on to a state.
func (v *verifying) job(class *classes.Class, state int) (id string) {
	v.jobs++
	id = "vrf_" + strings.Repeat("a", 25) + string(rune('a'+v.jobs))
	v.try(func() error {
		p := verify.Package{SelectedClassHash: class.Hash, UploadDigest: "sha256:" + strings.Repeat("01", 32), UploadByteLength: 1}
		v.do(`INSERT INTO verification_jobs (id, chain, workspace, idempotency_key, package, state, created_at, updated_at, upload_expires_at)
			VALUES ($1, 1, 'receipts', $1, $2, 0, now(), now(), now() + interval '1 day')`, id, string(p.Canonical()))
		for next := range state {
			v.do("UPDATE verification_jobs SET state = $2, updated_at = now() WHERE id = $1", id, next+1)
		}
		return v.err
	})
	return id
}

// built adds a job that selects a class and whose build gave a class.
func (v *verifying) built(selected, produced *classes.Class) (id string) {
	id = v.job(selected, 4)
	v.try(func() error {
		build, err := json.Marshal(verify.Build{Toolchain: ReceiptToolchain, Profile: verify.BuildProfile})
		v.do("UPDATE verification_jobs SET build = $2 WHERE id = $1", id, string(build))
		v.do("INSERT INTO verification_candidates (job, class, built_at) VALUES ($1, $2, now())", id, produced.Document)
		return errors.Join(err, v.err)
	})
	return id
}

// compare lets the controller decide on a job.
func (v *verifying) compare(id string) {
	v.try(func() error {
		decided, err := v.controller.Compare(v.ctx, id)
		if err == nil && !decided {
			err = fmt.Errorf("the controller did not decide on %s", id)
		}
		return err
	})
}

// asRole returns the URL of a database with the privileges of a role.
func asRole(address, role string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address // which then cannot be opened
	}
	query := parsed.Query()
	query.Set("role", role)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
