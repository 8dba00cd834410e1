package classes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/toolchain"
)

// source is a Cairo file with one contract.
type source struct {
	name string
	path string
	text []byte
}

// readSources returns all sources in the order of their names.
func readSources(tb testing.TB) []source {
	tb.Helper()
	paths, err := filepath.Glob("src/*.cairo")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("got no sources, %v, want some", err)
	}
	sources := make([]source, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".cairo")
		sources[i] = source{name: name, path: filepath.ToSlash(path), text: text}
	}
	return sources
}

var version = regexp.MustCompile(`_v[0-9]+$`)

// packageName returns the name without version: an upgrade is a later state of one package.
func (s source) packageName() string { return version.ReplaceAllString(s.name, "") }

func (s source) digest() string {
	sum := sha256.Sum256(s.text)
	return hex.EncodeToString(sum[:])
}

// build compiles a source into its manifest entry and its document.
func (s source) build(ctx context.Context, compiler toolchain.Compiler) (entry, []byte, error) {
	class, err := compiler.Compile(ctx, toolchain.Source{Package: s.packageName(), Text: string(s.text)})
	if err != nil {
		return entry{}, nil, err
	}
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(class); err != nil {
		return entry{}, nil, err
	}
	hash := class.Hash()
	return entry{
		Name:              s.name,
		Source:            s.path,
		SourceSHA256:      s.digest(),
		Package:           s.packageName(),
		ClassHash:         hash,
		CompiledClassHash: CompiledHash(hash),
	}, document.Bytes(), nil
}
