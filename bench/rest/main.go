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
		b       bench
		sizes   = flag.String("events", "", "how many events to index, one or more numbers")
		serve   = flag.Int("serve", 0, "replay so many blocks until the input ends (used by this program itself)")
		control = flag.String("control", "", "answer the requests of this file by a bare handler (used by this program itself)")
	)
	flag.StringVar(&b.program, "program", "", "the program to measure")
	flag.StringVar(&b.baseline, "baseline", "", "the program of an earlier commit to compare it with, if any")
	flag.StringVar(&b.work, "work", "", "an empty folder for the database")
	flag.StringVar(&b.chain.Folder, "chain", "", "the folder of the recorded chain")
	flag.Parse()
	switch {
	case *serve > 0:
		return b.chain.Serve(ctx, *serve)
	case *control != "":
		return serveControl(ctx, *control)
	}
	if b.sizes, err = indexed.ParseSizes(*sizes); err != nil {
		return err
	}
	return b.run(ctx)
}
