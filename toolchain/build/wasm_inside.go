package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"astrolabe/domain/verify"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
	"astrolabe/toolchain/flatten"
)

// The entry point and what it sees.
const (
	wasmEntry   = "cairo-wasm"
	wasmInside  = "/toolchain/wasm-cairo_bg.wasm"
	cacheInside = "/toolchain/cache"
)

func init() {
	sandbox.Register(wasmEntry, func() int { return inside(buildWasm) })
}

// buildWasm runs inside the sandbox, whose limits bound it.
func buildWasm(r request, archive io.Reader) (*answer, error) {
	var source *flatten.Source
	if r.Package != nil {
		var err error
		if source, err = flattened(archive, *r.Package); err != nil {
			return refusal(err)
		}
	}
	if err := (toolchain.Cache{Dir: cacheInside, Digest: r.Digest}).Check(); err != nil {
		return nil, err
	}
	compiler, err := toolchain.Open(context.Background(), toolchain.Options{
		Wasm: wasmInside, CacheDir: cacheInside, Timeout: time.Hour, // the sandbox ends it earlier
	})
	if err != nil {
		return nil, err
	}
	if r.Package == nil {
		return &answer{}, nil
	}
	class, err := compiler.Compile(context.Background(), toolchain.Source{Package: r.Package.PackageName, Text: source.Text})
	if rejected, ok := errors.AsType[*toolchain.CompileError](err); ok {
		log := diagnostics(rejected, source)
		_, _ = fmt.Fprintln(os.Stderr, log)
		return &answer{Failure: &failure{verify.BuildFailed, "The Cairo compiler rejected the source: " + log}}, nil
	}
	if errors.Is(err, toolchain.ErrLimit) {
		return &answer{Failure: &failure{verify.BuildLimitExceeded, "The compiler needs more than 2 GiB of memory."}}, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(class)
	return &answer{Class: text}, err
}

// flattened reads the tree and flattens the package. It checks the artifact's id,
// which this compiler does not write anywhere.
func flattened(archive io.Reader, p verify.Package) (*flatten.Source, error) {
	manifest, err := extract(archive, sourceDir, p)
	if err != nil {
		return nil, err
	}
	source, err := flatten.Tree(os.DirFS(sourceDir), flatten.Package{Name: p.PackageName, Target: p.TargetName, ModulePath: p.ModulePath, Manifest: manifest})
	if refused, ok := errors.AsType[*flatten.Refusal](err); ok {
		return nil, &verify.Failure{Code: verify.FailureCode(refused.Code), Message: refused.Message}
	}
	if err != nil {
		return nil, err
	}
	if id := toolchain.ArtifactID(p.PackageName, p.ModulePath); id != p.ArtifactID {
		return nil, &verify.Failure{Code: verify.BuildFailed, Message: fmt.Sprintf("The contract %s has the artifactId %s, but the package says %q. Correct artifactId.", p.ModulePath, id, p.ArtifactID)}
	}
	return source, nil
}

// diagnostics lists what the compiler said, with the files of the tree.
func diagnostics(rejected *toolchain.CompileError, source *flatten.Source) string {
	lines := []string{rejected.Answer}
	for _, d := range rejected.Diagnostics {
		file, line := source.Origin(d.Line)
		lines = append(lines, fmt.Sprintf("%s:%d: %s", file, line, d.Message))
	}
	return strings.Join(lines, "\n")
}
