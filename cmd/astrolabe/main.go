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
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"astrolabe/cmd/astrolabe/decode"
	"astrolabe/cmd/astrolabe/plain"
	"astrolabe/cmd/astrolabe/terminal"
	"astrolabe/cmd/astrolabe/verification"
	"astrolabe/domain"
	"astrolabe/httpserver"
	"astrolabe/node/pace"
	"astrolabe/sandbox"
	"astrolabe/telemetry"
)

// Exit codes let scripts distinguish usage errors from failures. The commands of
// the package verification have more of them.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// commandLine is the whole command line. Every flag is also an environment variable
// (ASTROLABE_ and the flag's name).
type commandLine struct {
	Log logSettings `embed:"" prefix:"log-"`

	TraceEndpoint secretText `help:"Send OpenTelemetry spans to this OTLP/HTTP URL, for example http://127.0.0.1:4318/v1/traces. Default: no tracing." placeholder:"URL"`
	ShowSettings  bool       `help:"Print the effective settings with secrets redacted, and exit." env:"-"`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version, and exit." env:"-"`

	Up         upCommand         `cmd:"" help:"Run everything with one command: database, API, background jobs, indexer and verification."`
	Serve      serveCommand      `cmd:"" help:"Serve the API."`
	Work       workCommand       `cmd:"" help:"Run background jobs."`
	Index      indexCommand      `cmd:"" help:"Index blocks from Starknet nodes."`
	Build      buildCommand      `cmd:"" help:"Build the source of verification jobs in a sandbox."`
	Control    controlCommand    `cmd:"" help:"Compare built classes with their declarations and sign receipts."`
	Sim        simCommand        `cmd:"" help:"Run a simulated Starknet node for development."`
	Digest     digestCommand     `cmd:"" help:"Print a digest of the indexed facts. Two indexes of the same blocks have the same digest."`
	Fsck       fsckCommand       `cmd:"" help:"Check the index for faults and print how to repair them."`
	Repair     repairCommand     `cmd:"" help:"Rewrite damaged blocks, classes and dictionary entries from a node."`
	Rederive   rederiveCommand   `cmd:"" help:"Derive facts again from stored blocks, without a node."`
	Rollback   rollbackCommand   `cmd:"" help:"Remove the newest blocks of an index, or all of them."`
	Census     censusCommand     `cmd:"" help:"Revoke or restore the holder census of a token."`
	Coverage   coverageCommand   `cmd:"" help:"List and rebuild the certificates of wide event searches."`
	Migrate    migrateCommand    `cmd:"" help:"Migrate the database schema, or show its state."`
	Secrets    secretsCommand    `cmd:"" help:"List and rotate the secrets of the deployment."`
	Keys       keysCommand       `cmd:"" help:"Create, list and revoke API keys, and grant permissions."`
	Session    sessionCommand    `cmd:"" help:"Create and revoke sessions for the self-serve routes."`
	Workspaces workspacesCommand `cmd:"" help:"Manage workspaces, which own API keys."`
	Labels     labelsCommand     `cmd:"" help:"Manage the labels of addresses and classes."`
	Verify     verifyCommand     `cmd:"" help:"Verify contracts: pack, check and submit source trees, and manage the keys that sign receipts."`
	Receipt    receiptCommand    `cmd:"" help:"Verify the receipts of verified contracts, offline."`
	Completion completionCommand `cmd:"" help:"Print how to activate tab completion in bash, zsh or fish."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Help       helpCommand       `cmd:"" help:"Show the help of a command."`
}

// logSettings configure logging.
type logSettings struct {
	Format string `help:"Log format: text or json." enum:"text,json" default:"text"`
	Level  string `help:"Minimum log level: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
}

func (l logSettings) json() bool { return l.Format == "json" }

// console is the environment of a command.
type console struct {
	stdout  io.Writer
	logger  *slog.Logger
	metrics *telemetry.Metrics
	tracing *telemetry.Tracing // nil without --trace-endpoint
	screen  *terminal.Screen   // nil when the log does not go to a terminal
	flags   []*kong.Flag       // that were passed as arguments
	limits  *pace.Limits       // of the calls to nodes; nil before the first pool
	json    bool               // the log is JSON
	command string             // its name
}

// announce tells the operator an address, as a line of the log if that is JSON.
func (c *console) announce(name, address, note string) {
	if c.json {
		c.logger.Info("listening", "name", name, "url", address, "note", note)
		return
	}
	if note != "" {
		note = " (" + note + ")"
	}
	fmt.Fprintf(c.stdout, "%-9s %s%s\n", name, address, note)
}

func main() {
	sandbox.Reexec()
	ignoreClientVariables()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(httpserver.GCPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal terminates the program immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run parses the arguments, runs the command and returns the exit code. A usage
// error prints one line on stderr and returns 2.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var line commandLine
	exited, code := false, exitOK
	parser, err := kong.New(&line, append(decode.Options(),
		kong.Name("astrolabe"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(stdout, stderr), kong.DefaultEnvars("ASTROLABE"),
		kong.Vars{"data": defaultDataFolder(), "version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(c int) { exited, code = true, c }))...)
	if err != nil {
		panic(err) // the command line is defined incorrectly
	}
	if kongcompletion.Register(parser); exited { // a shell asked for completions
		return code
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:], "--help")
	}
	parsed, err := parser.Parse(args)
	if exited { // --help or --version was printed
		return code
	}
	if err != nil {
		if bare := bareCommand(err, args); bare != nil {
			_ = bare.PrintUsage(false) // on stdout, which is all it does
			return exitUsage
		}
		return fail(stderr, asksForJSON(args), usageError{err})
	}
	if line.ShowSettings {
		printSettings(stdout, parsed)
		return exitOK
	}
	return fail(stderr, line.Log.json(), execute(ctx, &line, parsed, stdout, stderr))
}

// bareCommand returns the context of an error if the arguments name no command, or
// only a group of commands; otherwise nil.
func bareCommand(err error, args []string) *kong.Context {
	failed, ok := errors.AsType[*kong.ParseError](err)
	if !ok || failed.Context.Selected() != nil && len(failed.Context.Selected().Children) == 0 {
		return nil
	}
	commands := 0
	for _, element := range failed.Context.Path {
		if element.Command != nil {
			commands++
		}
	}
	if commands < len(args) { // an argument is not a command
		return nil
	}
	return failed.Context
}

// asksForJSON reports whether the log is to be JSON, although the arguments are
// wrong.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		if arg == "--log-format=json" || arg == "--log-format" && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return os.Getenv("ASTROLABE_LOG_FORMAT") == "json"
}

func execute(ctx context.Context, line *commandLine, parsed *kong.Context, stdout, stderr io.Writer) error {
	var screen *terminal.Screen
	if !line.Log.json() {
		screen = terminal.On(stderr)
	}
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
		draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceDrain)
		defer cancel()
		_ = tracing.Stop(draining) // it logs its own errors
	}()
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(&verification.Console{Stdout: stdout, Logger: logger, Progress: screen.Progress()})
	err = parsed.Run(&console{stdout: stdout, logger: logger, metrics: telemetry.NewMetrics(), tracing: tracing, screen: screen, flags: passed(parsed), json: line.Log.json(), command: parsed.Command()})
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // a stop signal during startup is not a failure
	}
	return err
}

// release is set by the build; a plain go build says "development".
var release = "development"

func version() string { return release }

// versionCommand prints the version.
type versionCommand struct{}

// Run prints one line.
func (versionCommand) Run(c *console) error {
	_, err := fmt.Fprintln(c.stdout, versionText())
	return err
}

func versionText() string {
	return fmt.Sprintf("astrolabe %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// completionCommand is the command of the library, with its help in our words.
type completionCommand struct{ kongcompletion.Completion }

// Help returns the detailed help text.
func (completionCommand) Help() string {
	return `Run the printed command to activate tab completion in this shell, or add it to the init file of the shell to activate it for good. Without an argument, the shell is your login shell.`
}

// helpCommand stands for --help, which run passes on in its place.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command, for example keys create."`
}

// Run is not called.
func (helpCommand) Run() error { return nil }

// traceDrain bounds the time to export the last spans.
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

// usageError marks an error that the user can correct, such as an invalid flag,
// an unusable folder or a wrong master key.
type usageError struct{ error }

// Unwrap returns the underlying error.
func (e usageError) Unwrap() error { return e.error }

// fail prints an error as one line, in the format of the log, and returns the exit
// code.
func fail(stderr io.Writer, asJSON bool, err error) int {
	if err == nil {
		return exitOK
	}
	if asJSON {
		slog.New(slog.NewJSONHandler(stderr, nil)).Error(plain.Message(err))
	} else {
		fmt.Fprintf(stderr, "astrolabe: %s\n", plain.Message(err))
	}
	if _, ok := errors.AsType[usageError](err); ok || domain.CodeOf(err) == domain.CodeInvalidRequest {
		return exitUsage
	}
	if coded, ok := errors.AsType[*verification.Error](err); ok {
		return coded.Code
	}
	return exitFailure
}

const description = `Astrolabe is a self-hosted API service for Starknet. It indexes the chain into Postgres and serves it over REST, GraphQL and JSON-RPC.

"astrolabe up" runs everything with one command and needs no configuration. In production, run "serve", "work" and "index" as separate processes that share a Postgres database.`
