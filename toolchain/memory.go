package toolchain

import (
	"context"
	"fmt"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mappedMemory is a module's memory outside of Go's heap: address space is reserved once, the
// machine's memory is taken as it is touched, and all of it is given back at the end of the
// compilation rather than at some later garbage collection.
type mappedMemory struct {
	space []byte
	// done, once it is set, ends the compilation: afterwards there is no more memory.
	done <-chan struct{}
	// exhausted reports that the module asked for more than there is.
	exhausted bool
}

// mapMemory reserves memory of the given size. The caller unmaps it after its last use.
func mapMemory(size uint64) (*mappedMemory, error) {
	const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_NORESERVE
	space, err := syscall.Mmap(-1, 0, int(size), access, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: reserving memory: %w", ErrLimit, err)
	}
	return &mappedMemory{space: space}, nil
}

// unmap gives the memory back.
func (m *mappedMemory) unmap() { _ = syscall.Munmap(m.space) }

// attach makes the one module that is started with the context use this memory, which must
// suffice for the module to start.
func (m *mappedMemory) attach(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return m }))
}

// Reallocate implements experimental.LinearMemory; nil means that there is no more.
func (m *mappedMemory) Reallocate(size uint64) []byte {
	select {
	case <-m.done:
		return nil
	default:
	}
	if size > uint64(len(m.space)) {
		m.exhausted = true
		return nil
	}
	return m.space[:size]
}

// Free implements experimental.LinearMemory. The memory outlives the module, so that what it
// left behind can be read.
func (m *mappedMemory) Free() {}
