package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"astrolabe/pg"
	"astrolabe/pg/pgtest"
)

// childVariable marks the test binary that is to be killed.
const childVariable = "PGTEST_CHILD"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(pgtest.Main{M: m})
}

var filled atomic.Int32

func oneTable(ctx context.Context, url string) error {
	filled.Add(1)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE TABLE seen (name text); INSERT INTO seen VALUES ('template')")
	return errors.Join(err, conn.Close(ctx))
}

func connect(tb testing.TB, url string) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestEveryTestGetsItsOwnCloneOfOneTemplate(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		if got := filled.Load(); got != 1 {
			t.Errorf("got the template filled %d times, want once", got)
		}
	})
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			conn := connect(t, pgtest.Database(t, oneTable))
			var rows int
			err := conn.QueryRow(t.Context(), "WITH added AS (INSERT INTO seen VALUES ('test')) SELECT count(*) FROM seen").Scan(&rows)
			if err != nil || rows != 1 {
				t.Fatalf("got %d rows and %v, want the template's one", rows, err)
			}
		})
	}
}

func TestDatabaseIsDroppedAtTheEndOfItsTestEvenWhenInUse(t *testing.T) {
	t.Parallel()
	ending := &probe{TB: t}
	name := connect(t, pgtest.Database(ending, nil)).Config().Database
	conn := connect(t, pgtest.Database(t, nil))
	for _, want := range []int{1, 0} {
		var there int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = $1", name).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there != want {
			t.Fatalf("got %d databases named %q, want %d", there, name, want)
		}
		ending.end()
	}
}

func TestFailingTemplateFailsTheTest(t *testing.T) {
	t.Parallel()
	probe := &probe{TB: t}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		pgtest.Database(probe, func(context.Context, string) error { return errors.New("no such column") })
	}()
	<-finished
	if !strings.Contains(probe.fatal, "no such column") {
		t.Fatalf("got the failure %q, want one about the column", probe.fatal)
	}
}

func TestNothingOutlivesAKilledTestBinary(t *testing.T) {
	t.Parallel()
	if os.Getenv(childVariable) != "" {
		waitToBeKilled(t)
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childVariable+"=1", "ASTROLABE_TEST_DATABASE_URL=")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	descendants, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer descendants.Close()
	child.ExtraFiles = []*os.File{inherited}
	err = child.Start()
	_ = inherited.Close()
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	folder, ok := strings.CutPrefix(strings.TrimSpace(line), "folder ")
	_ = child.Process.Kill()
	_ = child.Wait()
	if err != nil || !ok {
		t.Fatalf("got %q and %v from the child, want its folder", line, err)
	}
	// The pipe ends with the last process that the binary has started: the server
	// and the reaper, which removes the folder after it.
	if err := descendants.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(descendants); err != nil {
		t.Fatalf("got %v, want every process ended", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for the folder %s, want it removed", err, folder)
	}
}

func TestGivenServerIsUsedAndCleanedUp(t *testing.T) {
	t.Parallel()
	server, err := pg.Start(t.Context(), pg.Options{Dir: pgtest.Dir(t), Settings: map[string]string{"fsync": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	url := server.URL("postgres")
	child := exec.Command(os.Args[0], "-test.run=^TestEveryTestGetsItsOwnCloneOfOneTemplate$")
	child.Env = append(os.Environ(), "ASTROLABE_TEST_DATABASE_URL="+url)
	if output, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	conn := connect(t, url)
	var left int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname LIKE '%\\_%'").Scan(&left); err != nil {
		t.Fatal(err)
	}
	if left != 0 {
		t.Errorf("got %d databases left, want none", left)
	}
	// Each database took a number, so the number of a new one shows that there were some.
	var number int
	if err := conn.QueryRow(t.Context(), "SELECT lo_create(0)::int").Scan(&number); err != nil {
		t.Fatal(err)
	}
	const firstNumber, made = 16384, 5
	if number < firstNumber+made {
		t.Errorf("got the number %d, want at least %d: the child created no databases here", number, firstNumber+made)
	}
}

// waitToBeKilled runs in the child: it uses a server and prints its folder.
func waitToBeKilled(t *testing.T) {
	t.Helper()
	conn := connect(t, pgtest.Database(t, nil))
	var cluster string
	if err := conn.QueryRow(t.Context(), "SHOW data_directory").Scan(&cluster); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("folder %s\n", filepath.Dir(cluster))
	<-make(chan struct{})
}

// probe is a test within the test: it records a failure instead of failing,
// and ends on request.
type probe struct {
	testing.TB
	fatal    string
	cleanups []func()
}

func (p *probe) Fatalf(format string, args ...any) {
	p.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (p *probe) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

func (p *probe) end() {
	for _, cleanup := range p.cleanups {
		cleanup()
	}
	p.cleanups = nil
}

func BenchmarkDatabase(b *testing.B) {
	pgtest.Database(b, oneTable)
	for b.Loop() {
		pgtest.Database(b, oneTable)
	}
}

func TestSharedCloneIsCreatedOnce(t *testing.T) {
	t.Parallel()
	if first, second := pgtest.Shared(t, oneTable), pgtest.Shared(t, oneTable); first != second || first == pgtest.Database(t, oneTable) {
		t.Errorf("got the clones %s and %s, want one shared clone", first, second)
	}
}
