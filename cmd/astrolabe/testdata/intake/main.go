// Command intake creates, uploads, cancels and validates verification jobs for
// the tests that kill it.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
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

// validate runs the queue until a signal.
func validate(ctx context.Context, db *repo.DB, service *verify.Jobs) error {
	logger := slog.New(slog.DiscardHandler)
	schedule := jobs.NewSchedule(logger, telemetry.NewMetrics(), (&work.Validate{Jobs: service, Checker: zipped{}}).Job())
	queue, err := db.NewQueue(repo.QueueOptions{Workers: schedule.Workers, Logger: logger})
	if err != nil {
		return err
	}
	return queue.Run(ctx, time.Second)
}

// zipped accepts every gzip member.
type zipped struct{}

// Check implements verify.Checker.
func (zipped) Check(r io.Reader, _ verify.Package) error {
	if _, err := gzip.NewReader(r); err != nil {
		return &verify.Failure{Code: verify.ArchiveRejected, Message: "The source is not a gzip member."}
	}
	return nil
}
