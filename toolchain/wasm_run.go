package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The functions that the module exports.
const (
	exportAllocate = "__wbindgen_export_0"
	exportStack    = "__wbindgen_add_to_stack_pointer"
	exportCompile  = "compileStarknetContract"
)

// returnArea is the size of what compileStarknetContract returns on the module's stack: the
// answer's address and length, a thrown object and whether one was thrown, 32 bits each.
const returnArea = 16

// run compiles a text in a new instance and returns the JSON of the compiler.
func (w *Wasm) run(ctx context.Context, text string) ([]byte, error) {
	limited, cancel := context.WithTimeoutCause(ctx, w.options.Timeout, fmt.Errorf("%w: time", ErrLimit))
	defer cancel()
	memory, err := mapMemory(w.options.MemoryLimit)
	if err != nil {
		return nil, err
	}
	defer memory.unmap()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	instance, err := w.runtime.InstantiateModule(memory.attach(limited), w.module, config)
	if err != nil {
		return nil, fmt.Errorf("starting the Cairo compiler: %w", err)
	}
	defer func() { _ = instance.Close(context.WithoutCancel(ctx)) }()
	memory.done = limited.Done()

	answer, err := call(limited, instance, text)
	switch {
	case limited.Err() != nil:
		return nil, context.Cause(limited)
	case err != nil && memory.exhausted:
		return nil, fmt.Errorf("%w: memory", ErrLimit)
	case err != nil:
		return nil, &CompileError{Answer: "the compiler stopped: " + firstLine(err)}
	case !bytes.HasPrefix(answer, []byte("{")):
		return nil, &CompileError{Answer: string(answer), Diagnostics: findDiagnostics(memory.space[:instance.Memory().Size()])}
	}
	return answer, nil
}

// errNoMemory reports an address outside of the module's memory.
var errNoMemory = errors.New("address outside of memory")

// call passes the text in and copies the output.
func call(ctx context.Context, instance api.Module, text string) ([]byte, error) {
	invoke := func(name string, params ...uint64) (uint32, error) {
		results, err := instance.ExportedFunction(name).Call(ctx, params...)
		if err != nil || len(results) == 0 {
			return 0, err
		}
		return api.DecodeU32(results[0]), nil
	}
	input, err := invoke(exportAllocate, uint64(len(text)), 1)
	if err != nil {
		return nil, err
	}
	if !instance.Memory().WriteString(input, text) {
		return nil, errNoMemory
	}
	area, err := invoke(exportStack, api.EncodeI32(-returnArea))
	if err != nil {
		return nil, err
	}
	const allowWarnings, replaceIDs = 1, 1
	_, err = invoke(exportCompile, uint64(area), uint64(input), uint64(len(text)), allowWarnings, replaceIDs)
	if err != nil {
		return nil, err
	}
	return readAnswer(instance.Memory(), area)
}

// readAnswer copies the answer that the return area points to.
func readAnswer(memory api.Memory, area uint32) ([]byte, error) {
	address, _ := memory.ReadUint32Le(area)
	length, _ := memory.ReadUint32Le(area + 4)
	thrown, ok := memory.ReadUint32Le(area + 12)
	if !ok {
		return nil, errNoMemory
	}
	if thrown != 0 {
		return nil, errors.New("the compiler threw an exception")
	}
	answer, ok := memory.Read(address, length)
	if !ok {
		return nil, errNoMemory
	}
	return bytes.Clone(answer), nil
}

// firstLine removes the stack trace that wazero adds to an error.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
