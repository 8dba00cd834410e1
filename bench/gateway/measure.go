package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"astrolabe/bench/load"
)

// processorTime returns the processor time that a process and its children have
// used.
func processorTime(pid int) (time.Duration, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	ticks, parents := map[int]int64{}, map[int]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path) //nolint:gosec // a file of the kernel
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		own, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parents[own], _ = strconv.Atoi(fields[1])
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		ticks[own] = user + system
	}
	if _, ok := ticks[pid]; !ok {
		return 0, fmt.Errorf("process %d is not running", pid)
	}
	var total int64
	for own, used := range ticks {
		for at := own; at > 1; at = parents[at] {
			if at == pid {
				total += used
				break
			}
		}
	}
	return time.Duration(total) * (time.Second / 100), nil // the kernel counts in hundredths
}

// paced sends requests at a rate and returns the median time of an answer.
func paced(ctx context.Context, requests []load.Request, rate float64, lasts time.Duration) (time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	defer client.CloseIdleConnections()
	var (
		group   sync.WaitGroup
		mu      sync.Mutex
		times   []time.Duration
		failure error
	)
	const senders = 8
	every := time.Duration(float64(time.Second) / rate * senders)
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	for sender := range senders {
		group.Go(func() {
			due := time.Now().Add(every * time.Duration(sender) / senders)
			for i := sender; ; i += senders {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				due = due.Add(every)
				began := time.Now()
				err := post(ctx, client, requests[i%len(requests)])
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				times, failure = append(times, time.Since(began)), errors.Join(failure, err)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if failure != nil || len(times) == 0 {
		return 0, errors.Join(failure, errors.New("no request was completed"))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

func post(ctx context.Context, client *http.Client, request load.Request) error {
	r, err := http.NewRequestWithContext(ctx, request.Method, request.URL, strings.NewReader(request.Body))
	if err != nil {
		return err
	}
	r.Header = request.Header.Clone()
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err = io.Copy(io.Discard, response.Body); err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", request.URL, response.Status)
	}
	return err
}
