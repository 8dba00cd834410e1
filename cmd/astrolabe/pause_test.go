package main

import (
	"encoding/hex"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"astrolabe/pg/pgtest"
	"astrolabe/repo/repotest"
	"astrolabe/sim"
	"astrolabe/starknet"
)

// TestPausedIndexerCannotWrite pauses the leader of two index processes for
// longer than its lease. The other one leads meanwhile, and the first cannot
// write when it resumes: it stands by.
func TestPausedIndexerCannotWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*rivals){
		"between its transactions":               (*rivals).pausedBetweenTransactions,
		"in a transaction":                       (*rivals).pausedInTransaction,
		"in a transaction until that was broken": (*rivals).pausedUntilItsSessionEnds,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRivals(t)
			test(r)
			r.expectStandby()
		})
	}
}

// rivals are two index processes on one database.
type rivals struct {
	*campaign
	database      string
	first, second *program
	epoch         int // of the first one, when it was paused
}

func newRivals(t *testing.T) *rivals {
	t.Helper()
	r := &rivals{campaign: newCampaign(t, sim.Config{Blocks: 30}), database: pgtest.Database(t, repotest.Migrated)}
	r.first = r.index(r.database)
	r.follow(r.first)
	return r
}

// beginSecond starts the second process, whose lease does not expire even on a slow
// machine. The lease of the first one may expire at any time.
func (r *rivals) beginSecond() {
	r.Helper()
	r.second = r.index(r.database, "--lease", "1m")
}

// follow waits until the index has caught up.
func (r *rivals) follow(p *program) {
	r.Helper()
	r.follows(p, func() string { return r.database })
}

func (r *rivals) pausedBetweenTransactions() {
	r.Helper()
	r.first.pause(r.T)
	r.epoch = r.readEpoch()
	r.beginSecond()
	r.must(r.node.Reorg(3))
	r.must(r.node.Mine(3))
	r.second.says(r.T, saysLeads)
	r.follow(r.second)
	r.resumeInVain()
}

// pausedInTransaction resumes the first process while the rows that it has
// written are not committed, and block the second.
func (r *rivals) pausedInTransaction() {
	r.Helper()
	abandoned := r.pauseInTransaction()
	r.second.says(r.T, saysLeads)
	r.first.resume()
	r.first.says(r.T, saysStandsBy)
	r.follow(r.second)
	var written bool
	r.ask(r.database, "SELECT EXISTS (SELECT FROM moves WHERE hash = '\\x"+hex.EncodeToString(abandoned[:])+"')", &written)
	if written {
		r.Error("got the block that the paused process wrote, want it rolled back")
	}
}

// pausedUntilItsSessionEnds shows that the second process need not wait for
// the first to resume.
func (r *rivals) pausedUntilItsSessionEnds() {
	r.Helper()
	r.pauseInTransaction()
	r.second.says(r.T, saysLeads)
	r.follow(r.second)
	r.resumeInVain()
}

// resumeInVain resumes the first process while the second leads.
func (r *rivals) resumeInVain() {
	r.Helper()
	before := r.digest(r.database)
	r.first.resume()
	r.first.says(r.T, saysStandsBy)
	if after := r.digest(r.database); after != before {
		r.Errorf("after a write of the paused process: got the digest\n%swant\n%s", after, before)
	}
}

// pauseInTransaction pauses the first process when the rows of new blocks are
// written and not yet committed: a lock of the test blocks it there. Then a reorg
// replaces these blocks, and the second process starts. The hash of the
// newest of them is returned.
func (r *rivals) pauseInTransaction() (abandoned starknet.Felt) {
	r.Helper()
	conn, err := pgx.Connect(r.Context(), r.database)
	r.must(err)
	defer func() { _ = conn.Close(r.Context()) }()
	_, err = conn.Exec(r.Context(), recordMoves)
	r.must(err)
	tx, err := conn.Begin(r.Context())
	r.must(err)
	_, err = tx.Exec(r.Context(), "SELECT block FROM index_checkpoints FOR UPDATE")
	r.must(err)
	r.must(r.node.Mine(1))
	abandoned = r.node.Head().Header.BlockHash
	r.first.until(r.T, "it waits for our lock", func() bool { return r.movesCheckpoint("wait_event_type = 'Lock'") })
	r.first.pause(r.T)
	r.epoch = r.readEpoch()
	r.must(tx.Rollback(r.Context()))
	r.must(r.node.Reorg(1))
	r.beginSecond()
	r.second.until(r.T, "the first one's rows wait for their commit", func() bool {
		return r.movesCheckpoint("state = 'idle in transaction'")
	})
	return abandoned
}

// recordMoves records every hash that the checkpoint moves to.
const recordMoves = `
	CREATE TABLE moves (hash bytea);
	CREATE FUNCTION record_move() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN INSERT INTO moves VALUES (NEW.hash); RETURN NULL; END';
	CREATE TRIGGER record_move AFTER UPDATE ON index_checkpoints FOR EACH ROW EXECUTE FUNCTION record_move()`

// movesCheckpoint reports whether a session whose last statement moved the
// checkpoint is in a state.
func (r *rivals) movesCheckpoint(state string) (found bool) {
	r.Helper()
	r.ask(r.database, `SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE '/* checkpoint.move */%' AND `+state+`)`, &found)
	return found
}

// expectStandby expects that the second process leads, that the first does as
// soon as the second ends, and that their index is correct.
func (r *rivals) expectStandby() {
	r.Helper()
	if epoch := r.readEpoch(); epoch != r.epoch+1 {
		r.Errorf("got epoch %d, want %d\nfirst:\n%s\nsecond:\n%s", epoch, r.epoch+1, r.first.text(), r.second.text())
	}
	r.must(r.node.Mine(2))
	r.follow(r.second)
	led := strings.Count(r.first.text(), saysLeads)
	if code := r.second.stop(r.T); code != exitOK {
		r.Errorf("got exit code %d, want %d:\n%s", code, exitOK, r.second.text())
	}
	r.first.until(r.T, "it leads again", func() bool { return strings.Count(r.first.text(), saysLeads) > led })
	if epoch := r.readEpoch(); epoch <= r.epoch+1 {
		r.Errorf("when the first process leads again: got epoch %d, want a later one than %d", epoch, r.epoch+1)
	}
	r.must(r.node.Mine(2))
	r.follow(r.first)
	if code := r.first.stop(r.T); code != exitOK {
		r.Errorf("got exit code %d, want %d:\n%s", code, exitOK, r.first.text())
	}
	r.checkAll(r.database)
}

func (r *rivals) readEpoch() (epoch int) {
	r.Helper()
	r.ask(r.database, "SELECT epoch FROM index_leases WHERE chain = 'SN_MAIN'", &epoch)
	return epoch
}

// pause stops every thread of the process until resume.
func (p *program) pause(t *testing.T) {
	t.Helper()
	t.Cleanup(p.resume) // otherwise it could not end
	var status syscall.WaitStatus
	err := p.cmd.Process.Signal(syscall.SIGSTOP)
	if err == nil {
		_, err = syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err != nil || !status.Stopped() {
		t.Fatalf("got a process that is not stopped, want it paused: %v", err)
	}
}

func (p *program) resume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }
