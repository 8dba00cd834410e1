package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The variables that make the test binary play another role.
const (
	roleVariable   = "CHILD_ROLE"
	socketVariable = "CHILD_SOCKET"
)

// roles are what the test binary does as a process of its own.
var roles = map[string]func(socket string){
	"program": func(socket string) { // which is killed
		_ = testChild(socket, "polite").Run(context.Background())
	},
	"polite": func(socket string) {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		report(socket)
		<-stop
		fmt.Println("goodbye")
	},
	"stubborn": func(socket string) {
		signal.Ignore(syscall.SIGTERM)
		report(socket)
		select {}
	},
	"crashing": func(socket string) { // and leaves a process behind
		orphan := exec.Command(os.Args[0])
		orphan.Env = []string{roleVariable + "=stubborn", socketVariable + "=" + socket}
		output, _ := orphan.StdoutPipe()
		if err := orphan.Start(); err != nil {
			panic(err)
		}
		_, _ = bufio.NewReader(output).ReadString('\n')
		os.Exit(3)
	},
}

func TestMain(m *testing.M) {
	if play := roles[os.Getenv(roleVariable)]; play != nil {
		play(os.Getenv(socketVariable))
		os.Exit(0)
	}
	if err := os.Setenv("ASTROLABE_MARKED", "a secret"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// introduction is what a process says to the test.
type introduction struct {
	Pid int
	Env []string
}

// report connects to the test and echoes what the test sends. The connection
// ends with the process.
func report(socket string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(conn).Encode(introduction{os.Getpid(), os.Environ()}); err != nil {
		panic(err)
	}
	fmt.Println("reported")
	go func() {
		for buffer := make([]byte, 1); ; {
			if _, err := conn.Read(buffer); err != nil {
				os.Exit(1) // the test has ended and leaves nothing behind, even if it failed
			}
			_, _ = conn.Write(buffer)
		}
	}()
}

// testChild returns a child that plays a role.
func testChild(socket, role string) Child {
	return Child{
		Name: role, Path: os.Args[0], Env: []string{roleVariable + "=" + role, socketVariable + "=" + socket},
		Logger: slog.New(slog.DiscardHandler), Grace: time.Minute,
		pause: func(int) time.Duration { return 0 },
	}
}

// registry is where processes report.
type registry struct {
	*testing.T
	socket   string
	listener net.Listener
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	dir, err := os.MkdirTemp("", "child") // a path that is short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return &registry{t, socket, listener}
}

// patience bounds the wait for what must happen.
const patience = time.Minute

// reported is a process that runs.
type reported struct {
	introduction
	t      *testing.T
	conn   net.Conn
	reader *bufio.Reader
}

// next waits for a process to report.
func (r *registry) next() *reported {
	r.Helper()
	if err := r.listener.(*net.UnixListener).SetDeadline(time.Now().Add(patience)); err != nil {
		r.Fatal(err)
	}
	conn, err := r.listener.Accept()
	if err != nil {
		r.Fatalf("got %v, want a process that reports", err)
	}
	r.Cleanup(func() { _ = conn.Close() })
	p := &reported{t: r.T, conn: conn, reader: bufio.NewReader(conn)}
	line, err := p.reader.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.introduction)
	}
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// echo reports whether the process responds, and not whether it will die soon.
func (p *reported) echo() error {
	if err := p.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := p.conn.Write([]byte("x")); err != nil {
		return err
	}
	_, err := p.reader.ReadByte()
	return err
}

// gone waits for the end of the process.
func (p *reported) gone(why string) {
	p.t.Helper()
	if err := p.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		p.t.Fatal(err)
	}
	if b, err := p.reader.ReadByte(); err == nil || os.IsTimeout(err) {
		p.t.Errorf("%s: got the answer %q and %v from process %d, want it gone", why, b, err, p.Pid)
	}
}

// record is a log that a test reads.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}
