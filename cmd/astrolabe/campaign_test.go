package main

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/pg"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
)

// soak runs the long versions of tests.
var soak = os.Getenv("ASTROLABE_SOAK") != ""

// campaign is a simulated node that keeps running, and a program that indexes its
// chain, is killed and restarted.
type campaign struct {
	*testing.T
	node    *sim.Node
	nodeURL string
	data    string // the program's data folder
	passed  string // the file that names every failpoint that was passed
	conn    *pgx.Conn
}

func newCampaign(t *testing.T, config sim.Config) *campaign {
	t.Helper()
	node, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(node.Handler())
	folder := pgtest.Dir(t)
	c := &campaign{T: t, node: node, nodeURL: server.URL, data: filepath.Join(folder, "data"), passed: filepath.Join(folder, "passed")}
	t.Cleanup(func() {
		_ = node.Close()
		server.Close()
	})
	return c
}

// brief makes a short chain go through everything that a long one does: its
// history is loaded in several partitions, and blocks are final soon.
var brief = []string{"--range-events", "400", "--bulk-blocks", "8", "--finality-depth", "5", "--poll", "100ms", "--lease", "1s"}

// up starts the program. Later settings override earlier ones.
func (c *campaign) up(environment []string, settings ...string) *program {
	c.Helper()
	args := slices.Concat([]string{"up", "--data", c.data, "--chains", "SN_MAIN", "--node-main", c.nodeURL}, anyPort, brief, settings)
	return start(c.T, append(environment, "ASTROLABE_FAILPOINT_LOG="+c.passed), args...)
}

// index starts an index process on a new database.
func (c *campaign) index(database string, settings ...string) *program {
	c.Helper()
	args := slices.Concat([]string{"index", "--data", c.data, "--admin-addr", "", "--node-main", c.nodeURL}, brief, settings)
	return start(c.T, []string{"ASTROLABE_DATABASE_URL=" + database}, args...)
}

// database returns the URL of the private Postgres, or "" while it is not
// reachable.
func (c *campaign) database() string {
	url, err := pg.Attach(c.Context(), filepath.Join(c.data, "postgres"), "postgres")
	if err != nil {
		return ""
	}
	return url
}

// follows waits until the index in a database has reached the node's head.
func (c *campaign) follows(p *program, database func() string) {
	c.Helper()
	var db *repo.DB
	defer func() {
		if db != nil {
			db.Close()
		}
	}()
	p.until(c.T, "the index has caught up", func() bool {
		if db == nil {
			url := database()
			if url == "" {
				return false
			}
			opened, err := repo.Open(c.Context(), repo.Options{URL: url})
			if err != nil {
				return false
			}
			db = opened
		}
		at, err := index.NewCheckpoints(db).Checkpoint(c.Context(), domain.Mainnet)
		return err == nil && at != nil && at.Block != nil && at.Block.Hash == c.node.Head().Header.BlockHash
	})
}

// ask returns the only row of a query on the campaign's database.
func (c *campaign) ask(database, query string, into ...any) {
	c.Helper()
	if c.conn == nil {
		conn, err := pgx.Connect(c.Context(), database)
		c.must(err)
		c.Cleanup(func() { _ = conn.Close(context.Background()) })
		c.conn = conn
	}
	c.must(c.conn.QueryRow(c.Context(), query).Scan(into...))
}

// operate runs a command on a database, or on the data folder's when it is
// empty, and returns its output.
func (c *campaign) operate(database string, args ...string) (said string, ok bool) {
	c.Helper()
	p := start(c.T, []string{"ASTROLABE_DATABASE_URL=" + database, "ASTROLABE_LOG_LEVEL=warn"}, append(args, "--data", c.data)...)
	p.wait(c.T)
	return p.text(), p.cmd.ProcessState.ExitCode() == exitOK
}

// check expects that fsck finds nothing.
func (c *campaign) check(database string, args ...string) {
	c.Helper()
	if said, ok := c.operate(database, append([]string{"fsck"}, args...)...); !ok {
		c.Fatalf("got findings of fsck, want none:\n%s", said)
	}
}

// digest returns a short hash of an index.
func (c *campaign) digest(database string) string {
	c.Helper()
	said, ok := c.operate(database, "digest", "--tables")
	if !ok {
		c.Fatalf("digest: got a failure, want a digest:\n%s", said)
	}
	return said
}

// checkAll expects that an index has no findings and the digest of a clean index
// of the node's chain.
func (c *campaign) checkAll(database string) {
	c.Helper()
	c.check(database, "--node-main", c.nodeURL)
	clean := pgtest.Database(c.T, repotest.Migrated)
	p := c.index(clean, "--range-events", "1000000")
	c.follows(p, func() string { return clean })
	if code := p.stop(c.T); code != exitOK {
		c.Errorf("got exit code %d, want %d:\n%s", code, exitOK, p.text())
	}
	if got, want := c.digest(database), c.digest(clean); got != want {
		c.Errorf("got the digest\n%swant that of a clean index\n%s", got, want)
	}
}

// expectPassed expects that every failpoint was passed in some run.
func (c *campaign) expectPassed(points []string) {
	c.Helper()
	log, err := os.ReadFile(c.passed)
	if err != nil {
		c.Fatal(err)
	}
	for _, point := range points {
		if !slices.Contains(strings.Fields(string(log)), point) {
			c.Errorf("got no process at %s, want one", point)
		}
	}
}

// must fails the test when a precondition is not met.
func (c *campaign) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// patience is the time limit of every wait.
const patience = 2 * time.Minute

// until polls a condition while the program runs.
func (p *program) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-p.ended:
			t.Fatalf("got the program ended before %s, want it running:\n%s", what, p.text())
		case <-deadline:
			t.Fatalf("got no end of the wait for %s within %s, want it in time:\n%s", what, patience, p.text())
		}
	}
}

// says waits until the program has printed one of the texts.
func (p *program) says(t *testing.T, texts ...string) {
	t.Helper()
	p.until(t, "it says "+strings.Join(texts, " or "), func() bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(p.text(), text) })
	})
}

// Log messages when a process leads, stands by, builds indexes and has reached the
// head.
const (
	saysLeads    = "leading the index"
	saysStandsBy = "standing by: another process leads the index"
	saysBuilds   = "building the indexes of a partition"
	saysFollows  = "following the head"
)
