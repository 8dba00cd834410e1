// Command intake creates, uploads, cancels, validates and builds verification jobs for
// the tests that kill it.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/verify"
	"astrolabe/jobs"
	work "astrolabe/jobs/verify"
	"astrolabe/repo"
	"astrolabe/repo/onchain"
	store "astrolabe/repo/verify"
	"astrolabe/telemetry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// run carries out one of these, and prints the ID of the job:
//
//	create KEY PACKAGE
//	upload ID FILE
//	cancel ID
//	validate
//	build deliver|refuse
func run(ctx context.Context, args []string) error {
	db, err := repo.Open(ctx, repo.Options{URL: os.Getenv("ASTROLABE_DATABASE_URL")})
	if err != nil {
		return err
	}
	defer db.Close()
	service := verify.NewJobs(store.NewJobs(db), chain.NewClasses(onchain.NewClasses(db)), chain.NewStatuses(onchain.NewHeads(db), 0), time.Now)
	var job *verify.Job
	switch args[0] {
	case "create":
		caller := &account.Caller{Kind: account.ByKey, Workspace: "a", Permissions: []account.Permission{account.Verify}}
		job, _, err = service.Create(ctx, domain.Mainnet, caller, args[1], []byte(args[2]))
	case "upload":
		job, err = upload(ctx, service, args[1], args[2])
	case "cancel":
		job, err = service.Cancel(ctx, domain.Mainnet, "a", args[1])
	case "build":
		return build(ctx, args[1])
	default:
		return validate(ctx, db, service)
	}
	if err == nil {
		fmt.Println(job.ID)
	}
	return err
}

func upload(ctx context.Context, service *verify.Jobs, id, path string) (*verify.Job, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	job, _, err := service.Upload(ctx, domain.Mainnet, "a", id, int64(len(source)), bytes.NewReader(source))
	return job, err
}

// build runs a builder with the privileges of its role until a signal.
func build(ctx context.Context, result string) error {
	address, err := url.Parse(os.Getenv("ASTROLABE_DATABASE_URL"))
	if err != nil {
		return err
	}
	query := address.Query()
	query.Set("role", repo.BuilderRole)
	address.RawQuery = query.Encode()
	db, err := repo.Open(ctx, repo.Options{URL: address.String()})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.ConfirmRole(ctx, repo.BuilderRole); err != nil {
		return err
	}
	repository := store.NewBuilds(db)
	return (&work.Builder{
		Description: verify.Builder{ID: rand.Text(), Ready: true}, Builds: verify.NewBuilds(repository, time.Now), Compiler: compiler(result),
		Listen: repository.Listen, Logger: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
	}).Run(ctx)
}

// compiler delivers a class or refuses the source.
type compiler string

// Toolchain implements verify.Compiler.
func (compiler) Toolchain() verify.Toolchain { return verify.Toolchain{Name: "none"} }

// Compile implements verify.Compiler.
func (c compiler) Compile(_ context.Context, archive io.Reader, _ verify.Package) (*verify.Output, error) {
	_, err := io.Copy(io.Discard, archive)
	if c == "refuse" && err == nil {
		err = &verify.Failure{Code: verify.BuildFailed, Message: "The compiler refused the source."}
	}
	return &verify.Output{Class: []byte("{}")}, err
}

// validate runs the queue until a signal.
func validate(ctx context.Context, db *repo.DB, service *verify.Jobs) error {
	logger := slog.New(slog.DiscardHandler)
	schedule := jobs.NewSchedule(logger, telemetry.NewMetrics(), (&work.Validate{Jobs: service, Checker: verify.Rules{}}).Job())
	queue, err := db.NewQueue(repo.QueueOptions{Workers: schedule.Workers, Logger: logger})
	if err != nil {
		return err
	}
	return queue.Run(ctx, time.Second)
}
