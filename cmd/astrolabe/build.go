package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"astrolabe/domain/verify"
	verifyjobs "astrolabe/jobs/verify"
	"astrolabe/repo"
	verifystore "astrolabe/repo/verify"
	"astrolabe/sandbox"
	"astrolabe/toolchain"
	"astrolabe/toolchain/build"
)

// buildCommand builds the sources of verification jobs.
type buildCommand struct {
	DatabaseURL     secretText `help:"Postgres database, with the role astrolabe_builder. Pass it through the environment or a file." env:"ASTROLABE_BUILDER_DATABASE_URL" placeholder:"URL"`
	DatabaseURLFile string     `help:"Read the database URL from this file." env:"ASTROLABE_BUILDER_DATABASE_URL_FILE" type:"path" placeholder:"FILE"`
	DatabaseSchema  string     `help:"Schema of the tables in the database." default:"astrolabe"`
	pinSettings
	compilerSettings
	AdminAddr string `help:"Listen address for metrics, profiles and health checks. Keep it private. Leave it empty to disable." env:"ASTROLABE_BUILDER_ADMIN_ADDR"`
}

// pinSettings say which toolchain is pinned. Builders and controllers of a
// deployment must agree.
type pinSettings struct {
	ScarbVersion string `help:"Version of the pinned Scarb release. Default: no Scarb; the Cairo compiler for WebAssembly is pinned." placeholder:"VERSION"`
	ScarbDigest  string `help:"Digest of the files of that release: sha256: and 64 hexadecimal digits." placeholder:"DIGEST"`
}

func (s pinSettings) check() error {
	if (s.ScarbVersion == "") != (s.ScarbDigest == "") {
		return errors.New("--scarb-version and --scarb-digest must be set together")
	}
	return nil
}

// toolchain returns what is pinned.
func (s pinSettings) toolchain() verify.Toolchain {
	if s.ScarbVersion != "" {
		return verify.Toolchain{Name: "scarb", Version: s.ScarbVersion, Digest: s.ScarbDigest}
	}
	wasm := toolchain.WasmIdentity()
	return verify.Toolchain{Name: wasm.Name, Version: wasm.Version, Digest: "sha256:" + wasm.Digest}
}

// compilerSettings say where the compiler is.
type compilerSettings struct {
	CairoWasm     string `help:"The Cairo compiler for WebAssembly, which scripts/cairo fetches: the file, or its folder." type:"path" placeholder:"FILE"`
	ScarbDir      string `help:"Folder of the unpacked Scarb release." type:"path" placeholder:"DIR"`
	CompilerCache string `help:"Folder for a copy of the compiler and its machine code, which the user of the sandbox can read. Only the builder may write to it. Default: compiler in the data folder." type:"path" placeholder:"DIR"`
	Builds        int    `help:"Maximum number of contracts to build at once. Each may take 4 GiB of memory." default:"1"`
}

// Validate checks the settings before anything starts.
func (b buildCommand) Validate() error {
	if b.Builds < 1 {
		return errors.New("--builds must be at least 1")
	}
	return firstError(b.check(), checkAdmin(b.AdminAddr))
}

// Run builds until a stop signal.
func (b buildCommand) Run(ctx context.Context, c *console) error {
	return asRole(ctx, c, repo.BuilderRole, databaseSettings{DatabaseURL: b.DatabaseURL, DatabaseURLFile: b.DatabaseURLFile, DatabaseSchema: b.DatabaseSchema, DatabaseConns: roleConns}, b.AdminAddr, func(d *deployment) ([]component, error) {
		described, compiler, err := b.compiler(ctx)
		logBuilder(c.logger, described, err)
		store := verifystore.NewBuilds(d.db.DB)
		builds := verify.NewBuilds(store, time.Now)
		builds.OnTransition(d.countTransition)
		builder := &verifyjobs.Builder{
			Description: described, Builds: builds, Compiler: compiler, Parallel: b.Builds, Listen: store.Listen, Logger: d.logger, Metrics: d.metrics,
		}
		return []component{builder.Run}, nil
	})
}

// logBuilder logs whether the builder is ready, and by what each measure of its
// sandbox is enforced. err says why it is not ready.
func logBuilder(logger *slog.Logger, b verify.Builder, err error) {
	var enforced []string
	for _, m := range b.Measures {
		enforced = append(enforced, m.Name+" by "+m.By)
	}
	measures := slog.String("measures", strings.Join(enforced, ", "))
	if b.Ready {
		logger.Info("ready to build contracts", "toolchain", b.Toolchain.Name, "version", b.Toolchain.Version, measures)
		return
	}
	logger.Warn("contracts cannot be built", "reasonCode", b.ReasonCode, "error", err, measures)
}

// The reasons why a builder is not ready.
const (
	reasonNoSandbox   = "no_sandbox"
	reasonNoToolchain = "no_toolchain"
)

// compiler opens the sandbox and the pinned compiler. Without one of them the
// builder says why it is not ready, and the queue stays closed. The reason is
// public, so that it names nothing of this host; the error has the details.
func (b buildCommand) compiler(ctx context.Context) (verify.Builder, verify.Compiler, error) {
	described := verify.Builder{ID: processID(), Toolchain: b.toolchain()}
	refuse := func(code, reason string, err error) (verify.Builder, verify.Compiler, error) {
		described.ReasonCode, described.Reason = code, reason
		return described, nil, err
	}
	if b.ScarbVersion == "" && b.CairoWasm == "" {
		return refuse(reasonNoToolchain, "No compiler is configured: fetch it with scripts/cairo and set --cairo-wasm.", errors.New("no compiler is configured: set --cairo-wasm"))
	}
	box, err := sandbox.Open(ctx, sandbox.Options{})
	if missing, ok := errors.AsType[*sandbox.UnavailableError](err); ok {
		described.Measures = measures(missing.Measures)
	}
	if err != nil {
		return refuse(reasonNoSandbox, "The host of the builder cannot enforce every measure of the sandbox. The log of the builder says why.", err)
	}
	described.Measures = measures(box.Measures())
	compiler, err := b.open(ctx, box)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, toolchain.ErrNoCompiler):
		return refuse(reasonNoToolchain, "The configured compiler does not exist. The log of the builder says more.", err)
	case err != nil:
		return refuse(reasonNoToolchain, "The configured compiler cannot be used. The log of the builder says why.", err)
	}
	described.Ready = true
	return described, compiler, nil
}

func (b buildCommand) open(ctx context.Context, box *sandbox.Sandbox) (verify.Compiler, error) {
	if b.ScarbVersion != "" {
		return build.OpenScarb(ctx, box, build.Release{Dir: b.ScarbDir, Version: b.ScarbVersion, Digest: b.ScarbDigest}, sandbox.BuildLimits)
	}
	if b.CompilerCache == "" {
		b.CompilerCache = filepath.Join(defaultDataFolder(), "compiler")
	}
	options := toolchain.Options{Wasm: b.CairoWasm, CacheDir: filepath.Join(b.CompilerCache, "cache")}
	file, err := options.File()
	if err != nil {
		return nil, err
	}
	if options.Wasm, err = readable(file, b.CompilerCache); err != nil {
		return nil, fmt.Errorf("copy the compiler: %w", err)
	}
	return build.OpenWasm(ctx, box, options, sandbox.BuildLimits)
}

// readable copies a file into a folder, where every user can read it, and returns
// the copy. Its digest is checked when it is used.
func readable(file, dir string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.CreateTemp(dir, ".copy-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.Write(content)
	target := filepath.Join(dir, filepath.Base(file))
	return target, errors.Join(err, temporary.Chmod(0o644), temporary.Close(), os.Rename(temporary.Name(), target))
}

// measures returns what a sandbox enforces.
func measures(all []sandbox.Measure) (enforced []verify.Measure) {
	for _, m := range all {
		if m.Missing == "" {
			enforced = append(enforced, verify.Measure{Name: m.Name, By: m.By})
		}
	}
	return enforced
}
