package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"astrolabe/sandbox"

	"golang.org/x/sys/unix"
)

// target is what an attack is aimed at. It comes on stdin.
type target struct {
	Address string // of a listener, or a name of a unix socket
	Path    string // of a file of the host
	Process int    // on the host
	Secret  string
}

// escaped is the error of an attack that reached its target.
var errEscaped = errors.New("escaped")

// The exit codes of attacks that are not ended by a limit.
const (
	exitContained = 40
	exitEscaped   = 41
)

// The sizes that attacks use: over the limits of attackLimits, but harmless if a limit does not hold.
const (
	bombProcesses = 200
	bombMemory    = 400 << 20
	bombFile      = 10 << 30
	bombOutput    = 4 << 20
	bombTime      = 2 * time.Second
)

// attacks are hostile programs. Each returns errEscaped if it reached its target, and otherwise what
// stopped it. An attack on a limit returns errEscaped if it was not ended.
var attacks = map[string]func(target) error{
	"loopback":        func(t target) error { return dial("tcp", t.Address) },
	"name_server":     askNameServer,
	"abstract_socket": func(t target) error { return dial("unix", t.Address) },
	"unix_socket":     func(t target) error { return dial("unix", t.Address) },
	"write_outside":   writeOutside,
	"read_file":       readSecret,
	"read_mounted":    func(t target) error { return readSecret(target{Path: "/mnt/tree/private", Secret: t.Secret}) },
	"read_shadow":     func(target) error { return readSecret(target{Path: "/etc/shadow", Secret: ":"}) },
	"environment":     readEnvironment,
	"open_files":      readOpenFiles,
	"process_secrets": readProcess,
	"process_list":    seeProcess,
	"init_memory":     changeInit,
	"limit_others":    limitOthers,
	"symlink_race":    raceSymlinks,
	"capability":      useCapability,
	"setuid":          runSetuid,
	"effective_user":  reportUser,
	"namespace":       newNamespace,
	"ptrace":          trace,
	"refused_calls":   callRefused,
	"shared_memory":   shareMemory,
	"growing_memory":  growMemory,
	"large_stack":     raiseStack,
	"page_tables":     reserveAddresses,
	"kill_process":    killProcess,
	"kill_all":        killAll,
	"outlive":         outlive,
	"fork_bomb":       forkBomb,
	"memory_bomb":     memoryBomb,
	"large_file":      largeFile,
	"many_files":      manyFiles,
	"empty_files":     emptyFiles,
	"endless_loop":    func(target) error { return spin(2500 * time.Millisecond) },
	"stubborn_loop":   stubbornLoop,
	"many_loops":      manyLoops,
	"endless_sleep":   func(target) error { time.Sleep(bombTime); return errEscaped },
	"endless_stdout":  func(target) error { return flood(os.Stdout) },
	"endless_stderr":  func(target) error { return flood(os.Stderr) },
	"wait":            func(target) error { _, err := io.Copy(io.Discard, os.Stdin); return err },
}

func init() {
	for name, attack := range attacks {
		sandbox.Register(name, func() int {
			var aim target
			if err := json.NewDecoder(os.Stdin).Decode(&aim); err != nil {
				fmt.Fprintln(os.Stderr, "reading the target:", err)
				return 1
			}
			err := attack(aim)
			fmt.Fprintln(os.Stderr, name+":", err)
			if errors.Is(err, errEscaped) {
				return exitEscaped
			}
			return exitContained
		})
	}
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	_ = conn.Close()
	return errEscaped
}

// askNameServer sends a question to a name server and waits for any answer.
func askNameServer(t target) error {
	conn, err := net.Dial("udp", t.Address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(t.Secret)); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	if _, err := conn.Read(make([]byte, 512)); err != nil {
		return err
	}
	return errEscaped
}

func writeOutside(t target) error {
	if err := os.WriteFile(t.Path, []byte("written inside"), 0o600); err != nil {
		return err
	}
	return errEscaped
}

// overwrite tries every way to change a folder.
func overwrite(folder string) error {
	file := filepath.Join(folder, "file")
	return firstSuccess(
		func() error { return os.WriteFile(file, nil, 0o600) },
		func() error { return os.Remove(file) },
		func() error { return os.Chmod(file, 0o777) },
		func() error { return os.Truncate(file, 0) },
		func() error { return os.Rename(file, file+"2") },
		func() error { return os.Symlink("/", filepath.Join(folder, "new")) },
		func() error { return os.Link(file, filepath.Join(folder, "new")) },
	)
}

// firstSuccess returns errEscaped if one of the acts succeeds, and otherwise all their errors.
func firstSuccess(acts ...func() error) error {
	var refusals []error
	for i, act := range acts {
		err := act()
		if err == nil {
			return fmt.Errorf("act %d: %w", i, errEscaped)
		}
		refusals = append(refusals, err)
	}
	return errors.Join(refusals...)
}

func readSecret(t target) error {
	text, err := os.ReadFile(t.Path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), t.Secret) {
		return errors.New("the file has another content")
	}
	return errEscaped
}

func readEnvironment(t target) error {
	if strings.Contains(strings.Join(os.Environ(), "\n"), t.Secret) {
		return errEscaped
	}
	for _, process := range []string{"self", "1"} {
		if err := readSecret(target{Path: "/proc/" + process + "/environ", Secret: t.Secret}); errors.Is(err, errEscaped) {
			return err
		}
	}
	return errors.New("the environment has no secret")
}

// readOpenFiles looks for a secret in every file that was open at the start.
func readOpenFiles(t target) error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		id, err := strconv.Atoi(entry.Name())
		if err != nil || id < 3 {
			continue
		}
		block := make([]byte, 256)
		if n, err := unix.Pread(id, block, 0); err == nil && strings.Contains(string(block[:n]), t.Secret) {
			return errEscaped
		}
	}
	return fmt.Errorf("none of %d open files has the secret", len(open))
}

func readProcess(t target) error {
	return readSecret(target{Path: fmt.Sprintf("/proc/%d/environ", t.Process), Secret: t.Secret})
}

func seeProcess(t target) error {
	return readSecret(target{Path: fmt.Sprintf("/proc/%d/cmdline", t.Process), Secret: t.Secret})
}

// raceSymlinks follows symbolic links to a file of the host, from the mounted tree and from /tmp, while
// they are exchanged.
func raceSymlinks(t target) error {
	roots := []string{"", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../../.."}
	link := filepath.Join(os.TempDir(), "link-"+strconv.Itoa(os.Getpid()))
	defer os.Remove(link)
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-stopped }()
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = os.Remove(link)
				_ = os.Symlink(roots[i%len(roots)]+t.Path, link)
			}
		}
	}()
	for range 2000 {
		for _, path := range []string{link, "/mnt/tree/link"} {
			if err := readSecret(target{Path: path, Secret: t.Secret}); errors.Is(err, errEscaped) {
				return err
			}
		}
	}
	return overwrite("/mnt/tree")
}
