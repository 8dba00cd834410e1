package main

import (
	"context"
	"flag"
	"log"
	"os"
	"strings"
	"time"

	"astrolabe/bench/delivery"
)

// goalKB is the most memory that a subscriber should take.
const goalKB = 40

func main() {
	log.SetFlags(0)
	base := flag.String("base", "http://127.0.0.1:8080", "address of the running program")
	admin := flag.String("admin", "http://127.0.0.1:8081", "its address for operators")
	count := flag.Int("subscribers", 1000, "how many follow")
	blocks := flag.Int("blocks", 10, "how many blocks are awaited")
	lasts := flag.Duration("lasts", 3*time.Minute, "when to give up")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *lasts)
	defer cancel()
	result, err := delivery.Measurement{
		Protocol: newBlocks{*base + "/graphql"}, Admin: *admin, Keys: strings.Split(os.Getenv("ASTROLABE_API_KEY"), ","),
		Subscribers: *count, Blocks: *blocks,
	}.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	result.Print(goalKB)
}
