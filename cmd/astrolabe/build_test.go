package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"astrolabe/cmd/astrolabe/decode"
	"astrolabe/domain/verify"
)

// What a builder says about itself is public, in capabilities and in refusals.
func TestReasonOfABuilderNamesNoPathOfItsHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.wasm")
	if err := os.WriteFile(foreign, []byte("no compiler"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wasm := range []string{filepath.Join(dir, "absent.wasm"), dir, foreign} {
		command := buildCommand{compilerSettings: compilerSettings{CairoWasm: wasm, CompilerCache: filepath.Join(dir, "cache")}}
		described, compiler, err := command.compiler(t.Context())
		if err == nil || compiler != nil || described.Ready || described.ReasonCode == "" || !strings.HasSuffix(described.Reason, ".") {
			t.Errorf("%s: got %+v and %v, want a builder that is not ready, with a sentence", wasm, described, err)
		}
		if strings.Contains(described.Reason, "/") {
			t.Errorf("%s: got the reason %q, want no path", wasm, described.Reason)
		}
	}
}

func TestAnEmptyPathIsNone(t *testing.T) {
	for value, want := range map[string]string{"": "", "/b": "/b"} {
		t.Setenv("ASTROLABE_CAIRO_WASM", value)
		var line struct{ compilerSettings }
		parser, err := kong.New(&line, append(decode.Options(), kong.DefaultEnvars("ASTROLABE"))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(nil); err != nil || line.CairoWasm != want {
			t.Errorf("%q: got %q and %v, want %q", value, line.CairoWasm, err, want)
		}
	}
	described, _, err := buildCommand{}.compiler(t.Context())
	if err == nil || described.ReasonCode != reasonNoToolchain || !strings.Contains(described.Reason, "No compiler is configured") {
		t.Errorf("got %+v and %v, want that no compiler is configured", described, err)
	}
}

func TestBuilderLogsEveryMeasureAtStart(t *testing.T) {
	t.Parallel()
	for _, ready := range []bool{true, false} {
		var log strings.Builder
		logBuilder(slog.New(slog.NewTextHandler(&log, nil)), verify.Builder{
			Ready: ready, Measures: []verify.Measure{{Name: "network", By: "namespace"}, {Name: "memory", By: "cgroup"}},
		}, nil)
		if want := `measures="network by namespace, memory by cgroup"`; !strings.Contains(log.String(), want) {
			t.Errorf("ready %t: got the log %q, want %s in it", ready, log.String(), want)
		}
	}
}
