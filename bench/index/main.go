package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
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
		serve = flag.Int("serve", 0, "replay so many blocks until the input ends (used by this program itself)")
	)
	flag.StringVar(&b.binary, "program", "", "the program to measure")
	flag.StringVar(&b.work, "work", "", "an empty folder for databases")
	flag.StringVar(&b.chain.folder, "chain", "", "the folder of the recorded chain")
	flag.Parse()
	if *serve > 0 {
		return b.chain.serve(ctx, *serve)
	}
	if b.sizes, err = parseSizes(*sizes); err != nil {
		return err
	}
	return b.run(ctx)
}

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(word)
		if err != nil || n < leastEvents || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%q is no list of growing numbers from %d on", text, leastEvents)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return nil, errors.New("no size is given")
	}
	return sizes, nil
}
