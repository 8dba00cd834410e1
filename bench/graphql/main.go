package main

import (
	"context"
	"flag"
	"log"
	"os"
	"time"
)

func main() {
	log.SetFlags(0)
	base := flag.String("base", "", "address of the running program")
	data := flag.String("data", "", "data folder of the running program")
	server := flag.String("postgraphile", "", "script that serves with PostGraphile")
	lasts := flag.Duration("lasts", 3*time.Second, "time of each measurement")
	rounds := flag.Int("rounds", 5, "number of rounds")
	flag.Parse()
	b := bench{
		ours: endpoint{url: *base + "/graphql", key: os.Getenv("ASTROLABE_API_KEY")},
		rest: *base + "/v1/SN_MAIN", lasts: *lasts, rounds: *rounds,
	}
	if err := b.run(*data, *server); err != nil {
		log.Fatal(err)
	}
}

// bench is one run.
type bench struct {
	ours, theirs endpoint
	rest         string // the URL prefix of the chain's routes
	lasts        time.Duration
	rounds       int
}

// run measures everything, in bounded time.
func (b bench) run(data, server string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	url, stop, err := startPostGraphile(ctx, data, server)
	if err != nil {
		return err
	}
	b.theirs = endpoint{url: url}
	err = b.besidePostGraphile(ctx)
	stop()
	if err != nil {
		return err
	}
	return b.besideREST(ctx)
}
