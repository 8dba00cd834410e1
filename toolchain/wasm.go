package toolchain

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"astrolabe/starknet"
)

// pageSize is the unit in which WebAssembly counts memory.
const pageSize = 64 << 10

// Wasm is the Cairo compiler as a WebAssembly module. It compiles one source at
// a time, because each takes more than half a gigabyte; further calls wait.
type Wasm struct {
	options Options
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	module  wazero.CompiledModule
	// turn holds the token of the running compilation; Close takes it
	// permanently.
	turn   chan struct{}
	closed chan struct{}
}

var _ Compiler = (*Wasm)(nil)

// Open reads the compiler and translates it to machine code. It returns
// ErrNoCompiler if the file is missing, ErrForeignCompiler if it is not the
// pinned one, and ErrLimit if the memory limit is too low. The caller closes
// it.
func Open(ctx context.Context, options Options) (*Wasm, error) {
	code, err := options.readWasm()
	if err != nil {
		return nil, err
	}
	w := &Wasm{options: options.withDefaults(), turn: make(chan struct{}, 1), closed: make(chan struct{})}
	if err := w.start(ctx, code); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the Cairo compiler: %w", err), w.Close(context.WithoutCancel(ctx)))
	}
	return w, nil
}

func (w *Wasm) start(ctx context.Context, code []byte) (err error) {
	w.cache = wazero.NewCompilationCache()
	if w.options.CacheDir != "" {
		if w.cache, err = wazero.NewCompilationCacheWithDir(w.options.CacheDir); err != nil {
			return err
		}
	}
	w.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithCompilationCache(w.cache).
		WithDebugInfoEnabled(false))
	if w.module, err = w.runtime.CompileModule(ctx, code); err != nil {
		return err
	}
	for _, memory := range w.module.ExportedMemories() {
		if least := uint64(memory.Min()) * pageSize; w.options.MemoryLimit < least {
			return fmt.Errorf("%w: it needs %d bytes of memory to start", ErrLimit, least)
		}
	}
	return w.stubImports(ctx)
}

// stubImports provides the browser functions that the module imports. It needs
// none of them to compile: it only reports failures on the console.
func (w *Wasm) stubImports(ctx context.Context) error {
	host := w.runtime.NewHostModuleBuilder("wbg")
	for _, function := range w.module.ImportedFunctions() {
		_, name, _ := function.Import()
		results := len(function.ResultTypes())
		nothing := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
			clear(stack[:results])
		})
		host.NewFunctionBuilder().
			WithGoModuleFunction(nothing, function.ParamTypes(), function.ResultTypes()).
			Export(name)
	}
	_, err := host.Instantiate(ctx)
	return err
}

// Identity implements Compiler.
func (w *Wasm) Identity() Identity { return wasmIdentity }

// Compile implements Compiler. The class equals, byte for byte, the output of
// the native compiler of the same version for the same package in Cairo edition
// 2023_01, with no dependencies except the core library and with default
// settings.
func (w *Wasm) Compile(ctx context.Context, source Source) (*starknet.SierraClass, error) {
	text, err := source.nested()
	if err != nil {
		return nil, err
	}
	select {
	case <-w.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	}
	answer, err := w.run(ctx, text)
	if err != nil {
		return nil, err
	}
	return finishClass(answer, source.Package)
}

// Close implements Compiler. If the context ends first, it returns the error of
// the context and the compiler stays open.
func (w *Wasm) Close(ctx context.Context) error {
	select {
	case <-w.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case w.turn <- struct{}{}:
		close(w.closed)
	}
	var err error
	if w.runtime != nil {
		err = w.runtime.Close(ctx)
	}
	if w.cache != nil {
		err = errors.Join(err, w.cache.Close(ctx))
	}
	return err
}
