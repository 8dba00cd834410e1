package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"astrolabe/bench/indexed"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var (
		b     bench
		sizes = flag.String("events", "", "how many events to index, one or more numbers")
		both  = flag.String("baseline-events", "", "how many events the baseline and the program index in turns")
		serve = flag.Int("serve", 0, "replay so many blocks until the input ends (used by this program itself)")
	)
	flag.StringVar(&b.binary, "program", "", "the program to measure")
	flag.StringVar(&b.baseline, "baseline", "", "the program of an earlier commit to compare it with, if any")
	flag.StringVar(&b.work, "work", "", "an empty folder for databases")
	flag.StringVar(&b.chain.Folder, "chain", "", "the folder of the recorded chain")
	flag.Parse()
	if *serve > 0 {
		return b.chain.Serve(ctx, *serve)
	}
	if b.sizes, err = indexed.ParseSizes(*sizes); err != nil {
		return err
	}
	compared, err := indexed.ParseSizes(*both)
	if err != nil {
		return err
	}
	b.baselineEvents = compared[0]
	return b.run(ctx)
}
