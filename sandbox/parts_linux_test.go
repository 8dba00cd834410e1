package sandbox_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"

	"astrolabe/sandbox"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

func TestLogTailIsShortPrintableText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("äöü\n", 30_000)
	got := sandbox.Tail("start", long, "\xff\x00\x1b[1m\tend\r\n")
	if len(got) > sandbox.TailSize || len(got) < sandbox.TailSize-16 || !utf8.ValidString(got) || !strings.HasSuffix(got, "äöü\n[1m\tend\n") {
		t.Errorf("got %d bytes that end with %q, want the last %d bytes without control characters", len(got), got[len(got)-20:], sandbox.TailSize)
	}
}

func TestLogOfAFailedProgramNamesTheLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ log, want, withCgroup string }{
		{"memory allocation of 8589934592 bytes failed", "memory", ""},
		{"Cannot allocate memory (os error 12)", "memory", ""},
		{"Resource temporarily unavailable (os error 11)", "processes", ""},
		{"File too large (os error 27)", "file_size", "file_size"},
		{"write /tmp/x: no space left on device", "file_size", "file_size"},
		{"SIGXFSZ: file size limit exceeded", "file_size", "file_size"},
		{"SIGXCPU: cpu limit exceeded", "cpu", "cpu"},
		{"error: type not found", "", ""},
	} {
		if got := sandbox.Refused(test.log, false); got != test.want {
			t.Errorf("%s: got the limit %q, want %q", test.log, got, test.want)
		}
		if got := sandbox.Refused(test.log, true); got != test.withCgroup {
			t.Errorf("%s, with a cgroup: got the limit %q, want %q", test.log, got, test.withCgroup)
		}
	}
}

// TestFilterDecides runs the filter on system calls as the kernel does.
func TestFilterDecides(t *testing.T) {
	t.Parallel()
	instructions, err := sandbox.Filter(sandbox.AllowedCalls)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := bpf.NewVM(instructions)
	if err != nil {
		t.Fatal(err)
	}
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	const allow, refuse = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | int(unix.EPERM)
	for _, call := range []struct {
		name      string
		id        uint32
		arguments [6]uint64
		want      int
	}{
		{name: "read", id: uint32(info.ID), want: allow},
		{name: "clone", id: uint32(info.ID), arguments: [6]uint64{unix.CLONE_VM | unix.CLONE_THREAD}, want: allow},
		{name: "clone", id: uint32(info.ID), arguments: [6]uint64{unix.CLONE_VM | unix.CLONE_NEWUSER}, want: refuse},
		{name: "clone3", id: uint32(info.ID), want: unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS}, want: allow},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_SHARED}, want: allow},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_SHARED | unix.MAP_ANONYMOUS}, want: refuse},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS}, want: refuse},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN}, want: refuse},
		{name: "mmap", id: uint32(info.ID), arguments: [6]uint64{3: unix.MAP_PRIVATE | unix.MAP_GROWSDOWN}, want: refuse},
		{name: "prlimit64", id: uint32(info.ID), arguments: [6]uint64{0, unix.RLIMIT_NOFILE}, want: allow},
		{name: "prlimit64", id: uint32(info.ID), arguments: [6]uint64{1, unix.RLIMIT_NOFILE}, want: refuse},
		{name: "read", id: uint32(arch.I386.ID), want: refuse},
		{name: "socket", id: uint32(info.ID), want: refuse},
		{name: "ptrace", id: uint32(info.ID), want: refuse},
		{name: "io_uring_setup", id: uint32(info.ID), want: refuse},
		{name: "unshare", id: uint32(info.ID), want: refuse},
	} {
		got, err := machine.Run(callData(info.SyscallNames[call.name], call.id, call.arguments))
		if err != nil || got != call.want {
			t.Errorf("%s %v of architecture %#x: got %#x and %v, want %#x", call.name, call.arguments, call.id, got, err, call.want)
		}
	}
}

// callData is a struct seccomp_data of 32-bit words, which the machine of bpf reads in network order.
func callData(number int, id uint32, arguments [6]uint64) []byte {
	data := binary.BigEndian.AppendUint32(nil, uint32(number))
	data = binary.BigEndian.AppendUint32(data, id)
	data = binary.BigEndian.AppendUint64(data, 0)
	for _, argument := range arguments {
		low := make([]byte, 8)
		binary.NativeEndian.PutUint64(low, argument)
		for _, word := range [][]byte{low[:4], low[4:]} {
			data = binary.BigEndian.AppendUint32(data, binary.NativeEndian.Uint32(word))
		}
	}
	return data
}

func TestCgroupFolderIsFoundInContainersToo(t *testing.T) {
	t.Parallel()
	const mounts = `
30 20 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 20 0:27 /docker/abc /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
32 20 0:28 / /sys/fs/cgroup/unified rw shared:4 - cgroup2 cgroup2 rw
`
	const membership = "4:memory:/a/b\n3:pids:/docker/abc\n0::/system.slice/astrolabe.service\n"
	for controller, want := range map[string]string{
		"memory":  "/sys/fs/cgroup/memory/a/b",
		"pids":    "/sys/fs/cgroup/pids",
		"":        "/sys/fs/cgroup/unified/system.slice/astrolabe.service",
		"cpuacct": "",
	} {
		got, err := sandbox.GroupFolder(membership, mounts, controller)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("controller %q: got %q and %v, want %q", controller, got, err, want)
		}
	}
}
