package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// newNamespaces are the flags of clone that create namespaces.
const newNamespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUSER | unix.CLONE_NEWUTS

// filter assembles the seccomp filter: the system calls of allowedCalls are allowed, all others fail
// with EPERM. Calls of another architecture (32-bit x86, x32) fail, too.
//
//   - clone is allowed without flags for namespaces. The filter cannot read the flags of clone3, so that
//     fails with ENOSYS, on which C libraries fall back to clone.
//   - prlimit64 is allowed for the calling process.
//   - mmap is allowed without shared anonymous memory and without memory that grows like a stack, which
//     RLIMIT_DATA does not count.
func filter(allowed []string) ([]bpf.Instruction, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("sandbox: no seccomp filter for this architecture: %w", err)
	}
	var names []string
	for _, name := range allowed {
		if _, known := info.SyscallNames[name]; known {
			names = append(names, name)
		}
	}
	policy := seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{"clone3"}},
			{Action: seccomp.ActionAllow, Names: names, NamesWithCondtions: []seccomp.NameWithConditions{
				{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsNotSet, Value: newNamespaces}}},
				{Name: "prlimit64", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: 0}}},
				{Name: "mmap", Conditions: seccomp.ArgumentConditions{{Argument: 3, Operation: seccomp.BitsNotSet, Value: unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN}}},
				{Name: "mmap", Conditions: seccomp.ArgumentConditions{{Argument: 3, Operation: seccomp.BitsNotSet, Value: unix.MAP_SHARED | unix.MAP_GROWSDOWN}}},
			}},
		},
	}
	instructions, err := policy.Assemble()
	if err != nil {
		return nil, fmt.Errorf("sandbox: assembling the seccomp filter: %w", err)
	}
	return instructions, nil
}

// encode writes a filter as the kernel reads it: an array of struct sock_filter, whose fields are those
// of bpf.RawInstruction.
func encode(instructions []bpf.Instruction) ([]byte, error) {
	raw, err := bpf.Assemble(instructions)
	if err != nil {
		return nil, fmt.Errorf("sandbox: assembling the seccomp filter: %w", err)
	}
	var program bytes.Buffer
	if err := binary.Write(&program, binary.NativeEndian, raw); err != nil {
		return nil, fmt.Errorf("sandbox: writing the seccomp filter: %w", err)
	}
	return program.Bytes(), nil
}
