package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"astrolabe/domain"
	"astrolabe/telemetry"
)

// Exit codes: a script can tell a wrong setting from a failure at work.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// commandLine is the whole command line. Every flag is also an environment variable
// (ASTROLABE_ and the flag's name).
type commandLine struct {
	Log logSettings `embed:"" prefix:"log-"`

	TraceEndpoint secretText `help:"Send OpenTelemetry spans to this OTLP/HTTP URL, for example http://127.0.0.1:4318/v1/traces. Empty: no tracing." placeholder:"URL"`
	ShowSettings  bool       `help:"Print the settings that the command would run with, secrets redacted, and exit." env:"-"`

	Up         upCommand         `cmd:"" help:"Run everything in one process: database, API, workers and index."`
	Serve      serveCommand      `cmd:"" help:"Serve the API."`
	Work       workCommand       `cmd:"" help:"Run background jobs."`
	Index      indexCommand      `cmd:"" help:"Follow the chains' nodes."`
	Sim        simCommand        `cmd:"" help:"Run a simulated Starknet node to develop against."`
	Digest     digestCommand     `cmd:"" help:"Print the digest of what is indexed: equal for equal facts, however they came about."`
	Fsck       fsckCommand       `cmd:"" help:"Look for faults in what is indexed, and say how to repair them."`
	Rederive   rederiveCommand   `cmd:"" help:"Make derived facts again from stored blocks, without a node."`
	Rollback   rollbackCommand   `cmd:"" help:"Undo the newest blocks of an index, or all of it."`
	Census     censusCommand     `cmd:"" help:"Revoke the holder census of a token, or let it have one again."`
	Coverage   coverageCommand   `cmd:"" help:"Look after what event searches over wide block ranges rest on."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the database schema up to date, or look at it."`
	Secrets    secretsCommand    `cmd:"" help:"List and rotate the deployment's own keys."`
	Keys       keysCommand       `cmd:"" help:"Make, list, revoke and extend API keys."`
	Session    sessionCommand    `cmd:"" help:"Make and end sessions of the self-serve routes."`
	Workspaces workspacesCommand `cmd:"" help:"Look after the owners of keys."`
	Labels     labelsCommand     `cmd:"" help:"Say what addresses and classes are called."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
}

// logSettings say how the process logs.
type logSettings struct {
	Format string `help:"Log as text or json." enum:"text,json" default:"text"`
	Level  string `help:"Log records from this level on: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
}

// console is what a command has of the outside world.
type console struct {
	stdout  io.Writer
	logger  *slog.Logger
	metrics *telemetry.Metrics
	tracing *telemetry.Tracing // nil without --trace-endpoint
	screen  *screen            // nil when the log does not go to a terminal
}

// gcPercent lets a small heap grow further between collections than Go's
// default: requests are short-lived garbage on a few megabytes of live data,
// and collecting after every few hundred of them costs throughput for memory
// that nobody misses. GOGC overrides it.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run parses the arguments, runs the command and returns the exit code. A
// mistake of the caller is one line on stderr and code 2.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var line commandLine
	exited, code := false, exitOK
	parser, err := kong.New(&line,
		kong.Name("astrolabe"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(stdout, stderr), kong.DefaultEnvars("ASTROLABE"),
		kong.Vars{"data": defaultDataFolder()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(c int) { exited, code = true, c }))
	if err != nil {
		panic(err) // the command line's own definition is wrong
	}
	parsed, err := parser.Parse(args)
	if exited { // --help was printed
		return code
	}
	if err != nil {
		return fail(stderr, usageError{err})
	}
	if line.ShowSettings {
		printSettings(stdout, parsed)
		return exitOK
	}
	return fail(stderr, execute(ctx, &line, parsed, stdout, stderr))
}

func execute(ctx context.Context, line *commandLine, parsed *kong.Context, stdout, stderr io.Writer) error {
	screen := onTerminal(stderr)
	if screen != nil {
		stderr = screen
	}
	logger, err := telemetry.NewLogger(stderr, line.Log.Format, line.Log.Level)
	if err != nil {
		return usageError{err}
	}
	tracing, err := telemetry.StartTracing(ctx, string(line.TraceEndpoint), version(), logger)
	if err != nil {
		return usageError{err}
	}
	defer func() {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceDrain)
		defer cancel()
		_ = tracing.Stop(patient) // its errors are logged where they occur
	}()
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(&console{stdout: stdout, logger: logger, metrics: telemetry.NewMetrics(), tracing: tracing, screen: screen})
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // a stop signal during the start is no failure
	}
	return err
}

// traceDrain is how long the last spans may take to leave.
const traceDrain = 2 * time.Second

// Validate checks the settings that all commands share.
func (l *commandLine) Validate() error {
	if l.TraceEndpoint == "" {
		return nil
	}
	// The URL may hold a key, so that no error shows it.
	u, err := url.Parse(string(l.TraceEndpoint))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return errors.New("--trace-endpoint must be an http or https URL")
	}
	if u.User != nil || u.RawQuery != "" {
		return errors.New("--trace-endpoint takes no password and no query; pass credentials as headers in OTEL_EXPORTER_OTLP_TRACES_HEADERS")
	}
	return nil
}

// usageError marks a mistake that the caller can correct: a wrong flag, a
// folder that cannot be used, a key that does not fit.
type usageError struct{ error }

// Unwrap returns the mistake itself.
func (e usageError) Unwrap() error { return e.error }

func fail(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
	fmt.Fprintf(stderr, "astrolabe: %s\n", text)
	if _, ok := errors.AsType[usageError](err); ok || domain.CodeOf(err) == domain.CodeInvalidRequest {
		return exitUsage
	}
	return exitFailure
}

const description = `Astrolabe is a self-hostable Starknet explorer: an indexed read model of the chain behind a REST, JSON-RPC and GraphQL API.

"astrolabe up" starts everything with nothing configured. With a database URL and node URLs the same program runs as separate serve, work and index processes.`
