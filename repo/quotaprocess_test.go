package repo

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"astrolabe/domain/account"
	"astrolabe/pg/pgtest"
)

// quotaChild names the database to the processes of the test below.
const quotaChild = "ASTROLABE_TEST_QUOTA_DATABASE"

// TestExactlyTheBudgetIsGrantedToManyProcesses has three processes take a
// thousand times, one of which is killed meanwhile and started again.
func TestExactlyTheBudgetIsGrantedToManyProcesses(t *testing.T) {
	t.Parallel()
	if url := os.Getenv(quotaChild); url != "" {
		takeInTurns(t, openTest(t, url))
		return
	}
	url := pgtest.Database(t, migrated)
	victim, second, third := startTaker(t, url), startTaker(t, url), startTaker(t, url)
	victim.turns(t, 3)
	second.turns(t, 10) // which leaves enough for the victim
	third.turns(t, 10)
	victim.waitForGrants(t, 2*eachTurn) // the last turn may be under way
	_ = victim.process.Process.Kill()
	_ = victim.end()
	second.turns(t, 31)
	third.turns(t, 31)
	restarted := startTaker(t, url)
	restarted.turns(t, 40)
	for _, taker := range []*taker{second, third, restarted} {
		if err := taker.end(); err != nil {
			t.Errorf("a process failed: %v", err)
		}
	}
	if got := owed(t, openTest(t, url)); got != 240 {
		t.Errorf("%d were recorded", got)
	}
	// What the victim was granted in its last turn it may not have told.
	answered := victim.granted.Load() + second.granted.Load() + third.granted.Load() + restarted.granted.Load()
	if answered > 240 || answered < 240-eachTurn {
		t.Errorf("%d were answered", answered)
	}
}

// eachTurn is how many takes a process makes at once.
const eachTurn = 8

// takeInTurns is a process: for each line that it reads it takes a turn and
// tells of each grant.
func takeInTurns(t *testing.T, db *DB) {
	t.Helper()
	quotas := account.NewQuotas(QuotasBy{db, frozen}, frozen)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		allowed, err := rush(t.Context(), quotas, eachTurn)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Print(strings.Repeat("granted\n", int(allowed)))
	}
}

type taker struct {
	process *exec.Cmd
	stdin   io.WriteCloser
	granted atomic.Int64
	more    chan struct{}
	read    chan struct{}
}

func startTaker(t *testing.T, url string) *taker {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), quotaChild+"="+url)
	taker := &taker{process: child, more: make(chan struct{}, 1), read: make(chan struct{})}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if taker.stdin, err = child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	go taker.listen(stdout)
	return taker
}

func (k *taker) listen(stdout io.Reader) {
	defer close(k.read)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if lines.Text() != "granted" {
			continue
		}
		k.granted.Add(1)
		select {
		case k.more <- struct{}{}:
		default:
		}
	}
}

func (k *taker) turns(t *testing.T, n int) {
	t.Helper()
	if _, err := io.WriteString(k.stdin, strings.Repeat("\n", n)); err != nil {
		t.Fatal(err)
	}
}

func (k *taker) waitForGrants(t *testing.T, n int64) {
	t.Helper()
	for k.granted.Load() < n {
		select {
		case <-k.more:
		case <-k.read:
			t.Fatalf("the process ended after %d grants", k.granted.Load())
		case <-time.After(time.Minute):
			t.Fatal("the process takes nothing")
		}
	}
}

func (k *taker) end() error {
	_ = k.stdin.Close()
	<-k.read
	return k.process.Wait()
}
