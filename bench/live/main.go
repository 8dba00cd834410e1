package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	callerStreams = 100 // per key
	opening       = 16  // concurrent connection attempts
	others        = 20  // allowance for goroutines of other work
	goalKB        = 40
)

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
	keys := strings.Split(os.Getenv("ASTROLABE_API_KEY"), ",")
	if err := measure(ctx, *base, *admin, keys, *count, *blocks); err != nil {
		log.Fatal(err)
	}
}

func measure(ctx context.Context, base, admin string, keys []string, count, blocks int) error {
	if (len(keys)-1)*callerStreams < count {
		return fmt.Errorf("%d subscribers need %d keys, and at least one is required", count, (count+callerStreams-1)/callerStreams)
	}
	warm, err := open(ctx, base, keys[:1], 1) // excludes one-time allocations
	if err != nil {
		return err
	}
	defer closeAll(warm)
	before, err := memory(ctx, admin)
	if err != nil {
		return err
	}
	subscribers, err := open(ctx, base, keys[1:], count)
	if err != nil {
		return err
	}
	late, err := await(ctx, subscribers, blocks)
	if err != nil {
		return err
	}
	with, err := memory(ctx, admin)
	if err != nil {
		return err
	}
	closeAll(subscribers)
	without, err := settled(ctx, admin, before.goroutines+others)
	if err != nil {
		return err
	}
	fmt.Printf("%d subscribers on separate sockets, %d blocks\n", count, blocks)
	fmt.Printf("received after the first one   p50 %.1f ms  p99 %.1f ms  last %.1f ms\n",
		ms(late[len(late)/2]), ms(late[len(late)*99/100]), ms(late[len(late)-1]))
	heap, stacks := (with.heap-without.heap)/float64(count)/1000, (with.stacks-without.stacks)/float64(count)/1000
	fmt.Printf("memory of each                 %.1f KB: heap %.1f, stacks %.1f  (goal: at most %d)\n", heap+stacks, heap, stacks, goalKB)
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// open opens subscribers, with each key as many as it may have.
func open(ctx context.Context, base string, keys []string, count int) ([]*subscriber, error) {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	list, turns := make([]*subscriber, count), make(chan struct{}, opening)
	for i := range list {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			s, err := subscribe(ctx, base, keys[i/callerStreams])
			mu.Lock()
			defer mu.Unlock()
			if list[i] = s; first == nil {
				first = err
			}
		})
	}
	group.Wait()
	return list, first
}

func closeAll(list []*subscriber) {
	for _, s := range list {
		s.close()
	}
}

// await reads blocks on every socket and returns how much later than the first
// subscriber each received each block, sorted.
func await(ctx context.Context, list []*subscriber, blocks int) ([]time.Duration, error) {
	var (
		group  sync.WaitGroup
		mu     sync.Mutex
		failed error
	)
	received := make(map[uint64][]time.Time)
	for _, s := range list {
		group.Go(func() {
			for range blocks {
				number, err := s.next(ctx)
				at := time.Now()
				mu.Lock()
				received[number] = append(received[number], at)
				if failed == nil {
					failed = err
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	group.Wait()
	var late []time.Duration
	for _, times := range received {
		first := slices.MinFunc(times, time.Time.Compare)
		for _, at := range times {
			late = append(late, at.Sub(first))
		}
	}
	slices.Sort(late)
	return late, failed
}
