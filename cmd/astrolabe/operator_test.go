package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/cmd/astrolabe/process"
	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/repotest"
)

// operator runs commands on an indexed database.
type operator struct {
	*testing.T
	url string
	db  *repo.DB
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	url := pgtest.Database(t, repotest.Indexed)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return &operator{t, url, db}
}

// types runs a command, expects its exit code and returns its output.
func (o *operator) types(code int, command string) string {
	o.Helper()
	var stdout, stderr bytes.Buffer
	args := append(strings.Fields(command), "--database-url="+o.url)
	if got := run(o.Context(), args, &stdout, &stderr); got != code {
		o.Fatalf("%s: got exit code %d, want %d\n%s%s", command, got, code, &stdout, &stderr)
	}
	if code != exitOK {
		return stdout.String() + stderr.String()
	}
	return stdout.String()
}

func (o *operator) strikes(statement string) {
	o.Helper()
	conn, err := pgx.Connect(o.Context(), o.url)
	if err != nil {
		o.Fatal(err)
	}
	defer conn.Close(o.Context())
	if tag, err := conn.Exec(o.Context(), statement); err != nil || tag.RowsAffected() == 0 {
		o.Fatalf("%s: got %s, %v, want changed rows", statement, tag, err)
	}
}

func (o *operator) expects(got, want string) {
	o.Helper()
	if !strings.Contains(got, want) {
		o.Errorf("got\n%s\nwant %q in it", got, want)
	}
}

func TestFsckReportsEachFindingWithItsRepairCommand(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	digest := o.types(exitOK, "digest --tables")
	if !regexp.MustCompile(`^SN_MAIN  blocks 0 to 60  digest [0-9a-f]{64}\nSN_MAIN  blocks  [0-9a-f]{64}\n`).MatchString(digest) {
		t.Errorf("got %s, want the digest of blocks 0 to 60 and of each table", digest)
	}
	if got := o.types(exitOK, "fsck"); got != "SN_MAIN  blocks 0 to 60: nothing found\n" {
		t.Errorf("got %s, want nothing found", got)
	}
	o.strikes("DELETE FROM transfers WHERE block > 30")
	found := o.types(exitFailure, "fsck --limit 3")
	o.expects(found, "SN_MAIN  transfers: block 3")
	o.expects(found, "SN_MAIN  blocks 0 to 60: 3 findings\nastrolabe: 3 findings\n")
	if o.types(exitOK, "digest --tables") == digest {
		t.Error("got the same digest after a change, want another")
	}
	repair := regexp.MustCompile(`repair: astrolabe (.*)`).FindStringSubmatch(found)
	if repair == nil {
		t.Fatalf("got no repair command, want one in\n%s", found)
	}
	var output bytes.Buffer
	if code := run(t.Context(), words(t, repair[1]), &output, &output); code != exitOK {
		t.Errorf("%s: got exit code %d, want %d", repair[1], code, exitOK)
	}
	o.expects(output.String(), "of blocks 0 to 60 rewritten")
	o.expects(o.types(exitOK, "fsck --from 20 --to 40"), "blocks 20 to 40: nothing found")
	if again := o.types(exitOK, "digest --tables"); again != digest {
		t.Errorf("after the repair: got\n%swant\n%s", again, digest)
	}
}

func TestReindexingAfterARollbackRestoresTheSameIndex(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	blocks := repotest.Everyday(t)
	digest := o.types(exitOK, "digest")
	if got := o.types(exitOK, "rollback --chain SN_MAIN --to 30 --yes"); got != "SN_MAIN  from 60 to 30: removing 30 blocks\n" {
		t.Errorf("got %s, want 30 blocks removed", got)
	}
	o.expects(o.types(exitOK, "digest"), "blocks 0 to 30")
	o.types(exitOK, "fsck")
	index := repotest.NewIndex(t.Context(), o.db, 0, 4)
	index.Continue(&blocks[30].Header)
	index.Commit(indexing.Range{From: 25, To: 45, State: indexing.RangeReady}, blocks[31:45])
	index.Load(blocks[45:])
	index.Release()
	if got := o.types(exitOK, "digest"); index.Err() != nil || got != digest {
		t.Errorf("got %v and\n%swant\n%s", index.Err(), got, digest)
	}
	o.types(exitOK, "fsck")
	o.expects(o.types(exitOK, "rollback --chain SN_MAIN --all --yes"), "removing all 61 blocks")
	if got := o.types(exitOK, "digest"); got != "" {
		t.Errorf("got %s, want no index", got)
	}
	index = repotest.NewIndex(t.Context(), o.db, 0, 100)
	index.Load(blocks)
	index.Release()
	if got := o.types(exitOK, "digest"); index.Err() != nil || got != digest {
		t.Errorf("got %v and\n%swant\n%s", index.Err(), got, digest)
	}
	o.types(exitOK, "fsck")
}

func TestRejectedOperatorCommandStatesTheReason(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.expects(o.types(exitUsage, "rollback --chain SN_MAIN --to 99 --yes"), "block 99 is not indexed: the index of SN_MAIN starts at 0 and the next block is 61")
	o.expects(o.types(exitUsage, "rollback --chain SN_SEPOLIA --to 3 --yes"), "SN_SEPOLIA is not indexed")
	o.expects(o.types(exitUsage, "rollback --chain SN_MAIN"), "--to N")
	o.expects(o.types(exitUsage, "rollback --chain SN_MAIN --to 30"), "confirm with --yes")
	o.expects(o.types(exitUsage, "digest --chain SN_SEPOLIA"), "SN_SEPOLIA is not indexed")
	o.expects(o.types(exitUsage, "repair --chain SN_MAIN"), "pass what to repair: --block N")
	o.expects(o.types(exitUsage, "repair --chain SN_MAIN --block 3"), "need a node: set --node-main")
	o.expects(o.types(exitUsage, "repair --chain SN_MAIN --to 3 --checkpoint"), "--to needs --block")
	o.expects(o.types(exitUsage, "repair --chain SN_MAIN --discard blocks"), "--discard must be sums")
	o.expects(o.types(exitUsage, "repair --chain SN_MAIN --entry tokens:3 --node-main http://127.0.0.1:1"), "--entry must be addresses:ID")
	o.expects(o.types(exitUsage, "rederive privacy_events --privacy-pool 0x123"), `"0x123" is not CHAIN=ADDRESS, for example SN_MAIN=0x123`)
	o.expects(o.types(exitUsage, "rederive privacy_events --privacy-pool SN_GOERLI=0x123"), "SN_MAIN or SN_SEPOLIA")
	o.expects(o.types(exitUsage, "rederive privacy_events --privacy-pool SN_MAIN=0x0"), "0x0 is not the address of a contract")
	o.expects(o.types(exitUsage, "fsck --from 9 --to 8"), "--from must not be above --to")
	if _, leads, err := index.NewLeases(o.db).TakeLease(t.Context(), domain.Mainnet, "indexer", time.Minute); err != nil || !leads {
		t.Fatalf("got the lease %t, %v, want it", leads, err)
	}
	for _, command := range []string{
		"rollback --chain SN_MAIN --to 30 --yes", "rederive activity", "repair --chain SN_MAIN --checkpoint", "repair --chain SN_MAIN --block 3 --node-main http://127.0.0.1:1",
	} {
		o.expects(o.types(exitFailure, command), "an indexer is running for SN_MAIN; stop it, then run this command again")
	}
	o.types(exitOK, "fsck")
}

// TestCommandsTakeOverTheLeaseOfAnEndedProcess holds the lease with the id of this
// process and another start: the process that had both has ended.
func TestCommandsTakeOverTheLeaseOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	ended := process.Own("killed")
	if ended.Began == "" {
		t.Skip("this system does not tell when a process started")
	}
	ended.Began = "1"
	for _, command := range []string{"rederive activity", "repair --chain SN_MAIN --checkpoint", "rollback --chain SN_MAIN --to 30 --yes"} {
		o := newOperator(t)
		if _, leads, err := index.NewLeases(o.db).TakeLease(t.Context(), domain.Mainnet, ended.String(), time.Hour); err != nil || !leads {
			t.Fatalf("got leads %t and %v, want the lease", leads, err)
		}
		o.types(exitOK, command)
	}
}

func TestNothingIsSimulatedBesideANode(t *testing.T) {
	t.Parallel()
	u := upCommand{Simulate: true}
	u.Chains = domain.Chains
	if got := u.simulated(); len(got) != 2 {
		t.Errorf("without a node: got %v simulated, want both chains", got)
	}
	u.NodeMain = []secretText{"http://127.0.0.1:1"}
	if got := u.simulated(); got != nil {
		t.Errorf("with a node: got %v simulated, want none", got)
	}
}
