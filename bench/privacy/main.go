package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"astrolabe/bench/indexed"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program := flag.String("program", "", "the program that creates the schema")
	work := flag.String("work", "", "an empty folder for databases")
	events := flag.String("events", "", "how many events of pools to measure with, ascending numbers")
	flag.Parse()
	sizes, err := parseSizes(*events)
	if err != nil {
		return err
	}
	if err := indexed.CheckRoom(*work, int64(sizes[len(sizes)-1])*eventBytes); err != nil {
		return err
	}
	server, stopServer, err := indexed.StartServer(ctx, *work, map[string]string{
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all",
	})
	if err != nil {
		return err
	}
	defer stopServer()
	var results []result
	for _, size := range sizes {
		err := indexed.WithDatabase(ctx, server, fmt.Sprintf("pool_%d", size), *program, func(db *indexed.Database) error {
			r, err := measure(ctx, db, size)
			results = append(results, r)
			return err
		})
		if err != nil {
			return fmt.Errorf("at %d events: %w", size, err)
		}
		results[len(results)-1].print()
	}
	printGrowth(results)
	return nil
}

// eventBytes is the disk space of an event, with its indexes and the WAL.
const eventBytes = 1500

// parseSizes parses a list of ascending numbers of events.
func parseSizes(text string) (sizes []int, err error) {
	for word := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(word)
		if err != nil || n < blockEvents || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%q is not a list of ascending numbers from %d on", text, blockEvents)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("the list of sizes is empty")
	}
	return sizes, nil
}
