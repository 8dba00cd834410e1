package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"astrolabe/bench/load"
)

const (
	connections = 16
	rounds      = 5
)

func main() {
	log.SetFlags(0)
	base := flag.String("base", "", "address of the running program")
	bare := flag.String("bare", "", "serve this body on a bare handler (used by this program itself)")
	lasts := flag.Duration("lasts", 3*time.Second, "time of each measurement")
	flag.Parse()
	var err error
	if *bare != "" {
		err = serveBare(*bare)
	} else {
		err = compare(context.Background(), *base, os.Getenv("ASTROLABE_API_KEY"), *lasts)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveBare serves one route with fixed bytes until its input ends.
func serveBare(body string) error {
	router := chi.NewRouter()
	router.Get("/v1/{chain}/status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	})
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: router, ReadHeaderTimeout: time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	_ = server.Serve(listener)
	return nil
}

// startBare runs this program again as the bare handler, in a separate process
// like the real one.
func startBare(ctx context.Context, body string) (url string, stop func(), err error) {
	command := exec.CommandContext(ctx, os.Args[0], "-bare", body) //nolint:gosec // this program
	address, stop, err := load.Start(command)
	return "http://" + address, stop, err
}

func compare(ctx context.Context, base, key string, lasts time.Duration) error {
	status := load.Request{Method: http.MethodGet, URL: base + "/v1/SN_MAIN/status", Header: http.Header{keyHeader: {key}}}
	body, err := fetch(ctx, status)
	if err != nil {
		return err
	}
	bareURL, stop, err := startBare(ctx, body)
	if err != nil {
		return err
	}
	defer stop()
	contenders := []struct {
		name    string
		request load.Request
	}{
		{"bare chi handler, same bytes", load.Request{Method: http.MethodGet, URL: bareURL + "/v1/SN_MAIN/status"}},
		{"REST  GET /v1/SN_MAIN/status", status},
		{"GraphQL  the same fact", graphQL(base, key)},
	}
	rates := make([][]float64, len(contenders))
	for round := range rounds {
		for i, c := range contenders { // in turns, so that load on the machine affects all of them
			result, err := load.Run(ctx, []load.Request{c.request}, connections, lasts)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			rates[i] = append(rates[i], result.Rate)
			fmt.Printf("round %d  %-30s %s\n", round+1, c.name, result)
		}
	}
	fmt.Println()
	fmt.Printf("REST over bare handler      %.2f  (goal: at least 0.60)\n", median(rates[1])/median(rates[0]))
	fmt.Printf("GraphQL over REST           %.2f\n", median(rates[2])/median(rates[1]))
	return nil
}

// keyHeader is the header with the API key, whose rate limit must exceed the
// load.
const keyHeader = "X-Service-Api-Key"

func graphQL(base, key string) load.Request {
	return load.Request{
		Method: http.MethodPost, URL: base + "/graphql",
		Header: http.Header{"Content-Type": {"application/json"}, keyHeader: {key}},
		Body:   `{"query":"{ status(chain: SN_MAIN) { headBlockNumber headBlockHash finalityDepth lagBlocks asOf } }"}`,
	}
}

func fetch(ctx context.Context, r load.Request) (string, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return "", err
	}
	request.Header = r.Header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var body strings.Builder
	_, err = io.Copy(&body, response.Body)
	return body.String(), err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
