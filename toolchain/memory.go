package toolchain

import (
	"context"
	"fmt"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mappedMemory is the memory of a module outside of the Go heap. Address space
// is reserved once, physical memory is allocated on first use, and all of it is
// released at the end of the compilation rather than at a later garbage
// collection.
type mappedMemory struct {
	space []byte
	// done ends the compilation when it is closed: no more memory is then
	// granted.
	done <-chan struct{}
	// exhausted is true if the module requested more than the limit.
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

// unmap releases the memory.
func (m *mappedMemory) unmap() { _ = syscall.Munmap(m.space) }

// attach makes the module that is started with the context use this memory,
// which must suffice for its start.
func (m *mappedMemory) attach(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return m }))
}

// Reallocate implements experimental.LinearMemory. It returns nil if the limit
// is exceeded.
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

// Free implements experimental.LinearMemory. The memory outlives the module, so
// that its content can be read.
func (m *mappedMemory) Free() {}
