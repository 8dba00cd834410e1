package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"astrolabe/bench/load"
)

const (
	connections = 16
	rounds      = 5
	batchSize   = 50
)

func main() {
	log.SetFlags(0)
	var b bench
	static := flag.Bool("static", false, "serve fixed answers (used by the script)")
	flag.StringVar(&b.upstream, "upstream", "", "URL of the upstream with fixed answers")
	flag.StringVar(&b.nginx, "nginx", "", "URL of nginx in front of it")
	flag.StringVar(&b.gateway, "gateway", "", "URL of the gateway in front of it")
	flag.StringVar(&b.simulated, "simulated", "", "URL of a simulated node")
	flag.StringVar(&b.cached, "cached", "", "URL of the gateway in front of that")
	flag.IntVar(&b.nginxPID, "nginx-pid", 0, "process of nginx")
	flag.IntVar(&b.gatewayPID, "gateway-pid", 0, "process of the gateway")
	flag.StringVar(&b.admin, "admin", "", "address of the gateway for operators")
	only := flag.Bool("heads", false, "measure only the subscribers to new heads")
	flag.DurationVar(&b.lasts, "lasts", 3*time.Second, "time of each measurement")
	flag.Parse()
	b.keys = strings.Split(os.Getenv("ASTROLABE_API_KEY"), ",")
	var err error
	switch ctx := context.Background(); {
	case *static:
		err = serveStatic()
	case *only:
		err = b.heads(ctx)
	default:
		err = b.run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// bench is what is compared, and where.
type bench struct {
	upstream, nginx, gateway, simulated, cached, admin string

	nginxPID, gatewayPID int
	lasts                time.Duration
	keys                 []string // the first is for requests, all are for subscribers
}

func (b *bench) run(ctx context.Context) error {
	return errors.Join(b.cost(ctx), b.latency(ctx), b.batch(ctx), b.cache(ctx), b.heads(ctx))
}

// call is a JSON-RPC request.
func (b *bench) call(url, method, params string) load.Request {
	return b.post(url, one(method, params))
}

func one(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func (b *bench) post(url, body string) load.Request {
	return load.Request{Method: http.MethodPost, URL: url, Body: body,
		Header: http.Header{"Content-Type": {"application/json"}, "X-Service-Api-Key": {b.keys[0]}}}
}

// distinct are reads that differ, so that concurrent ones are not coalesced.
func (b *bench) distinct(url string) []load.Request {
	requests := make([]load.Request, 997)
	for i := range requests {
		requests[i] = b.call(url, "starknet_getStorageAt", fmt.Sprintf(`["0x1","0x%x","latest"]`, i))
	}
	return requests
}

// cost compares processor time per request.
func (b *bench) cost(ctx context.Context) error {
	var rates [2]float64
	measure := func(at int, url string, pid int) func() (float64, error) {
		return func() (float64, error) {
			before, err := processorTime(pid)
			if err != nil {
				return 0, err
			}
			result, err := load.Run(ctx, b.distinct(url), connections, b.lasts)
			if err != nil {
				return 0, err
			}
			after, err := processorTime(pid)
			rates[at] = max(rates[at], result.Rate)
			return (after - before).Seconds() / float64(result.Requests) * 1e6, err
		}
	}
	costs, err := load.InTurns(rounds, measure(0, b.nginx, b.nginxPID), measure(1, b.gateway, b.gatewayPID))
	if err != nil {
		return err
	}
	fmt.Printf("processor time per request, microseconds: nginx %s, gateway %s\n", load.Rounds(costs[0]), load.Rounds(costs[1]))
	fmt.Printf("requests per second, %d connections: nginx %.0f, gateway %.0f\n", connections, rates[0], rates[1])
	fmt.Printf("gateway over nginx, processor time    %.2f  (goal: at most 3)\n\n", load.Median(costs[1])/load.Median(costs[0]))
	return nil
}

// latency compares the medians at half of the gateway's highest rate.
func (b *bench) latency(ctx context.Context) error {
	full, err := load.Run(ctx, b.distinct(b.gateway), connections, b.lasts)
	if err != nil {
		return err
	}
	at := func(url string) func() (float64, error) {
		return func() (float64, error) {
			p50, err := paced(ctx, b.distinct(url), full.Rate/2, b.lasts)
			return p50.Seconds() * 1e3, err
		}
	}
	times, err := load.InTurns(rounds, at(b.upstream), at(b.nginx), at(b.gateway))
	if err != nil {
		return err
	}
	direct, nginx, gateway := load.Median(times[0]), load.Median(times[1]), load.Median(times[2])
	fmt.Printf("p50 at %.0f requests per second, ms: upstream %.2f, nginx %.2f, gateway %.2f\n", full.Rate/2, direct, nginx, gateway)
	fmt.Printf("p50 added by the gateway, ms           %.2f  (goal: at most 0.3; nginx adds %.2f)\n\n", gateway-direct, nginx-direct)
	return nil
}

// batch compares a batch with as many single requests.
func (b *bench) batch(ctx context.Context) error {
	items := make([]string, batchSize)
	for i := range items {
		items[i] = one("starknet_getStorageAt", fmt.Sprintf(`["0x1","0x%x","latest"]`, i))
	}
	rate := func(requests []load.Request, each float64) func() (float64, error) {
		return func() (float64, error) {
			result, err := load.Run(ctx, requests, connections, b.lasts)
			return result.Rate * each, err
		}
	}
	rates, err := load.InTurns(rounds,
		rate(b.distinct(b.gateway), 1),
		rate([]load.Request{b.post(b.gateway, "["+strings.Join(items, ",")+"]")}, batchSize))
	if err != nil {
		return err
	}
	fmt.Printf("reads per second: singly %s, in batches of %d %s\n", load.Rounds(rates[0]), batchSize, load.Rounds(rates[1]))
	fmt.Printf("time of a batch over %d single reads   %.2f  (goal: at most 0.3)\n\n", batchSize, load.Median(rates[0])/load.Median(rates[1]))
	return nil
}

// cache compares a block that L1 has accepted with the simulated node.
func (b *bench) cache(ctx context.Context) error {
	const params = `[{"block_number":5}]`
	rate := func(url string) func() (float64, error) {
		return func() (float64, error) {
			result, err := load.Run(ctx, []load.Request{b.call(url, "starknet_getBlockWithReceipts", params)}, connections, b.lasts)
			return result.Rate, err
		}
	}
	rates, err := load.InTurns(rounds, rate(b.simulated), rate(b.cached))
	if err != nil {
		return err
	}
	fmt.Printf("blocks per second: simulated node %s, gateway's cache %s\n", load.Rounds(rates[0]), load.Rounds(rates[1]))
	fmt.Printf("cached block over the node             %.2f  (goal: at least 5)\n\n", load.Median(rates[1])/load.Median(rates[0]))
	return nil
}
