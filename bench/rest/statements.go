package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// logSettings make the server log as JSON, to one file.
var logSettings = map[string]string{
	"logging_collector": "on", "log_destination": "jsonlog", "log_filename": "statements.log",
	"log_rotation_age": "0", "log_rotation_size": "0", "log_error_verbosity": "default",
}

// statement is a statement that the service sent, with its arguments as
// Postgres prints them; nil is null.
type statement struct {
	SQL       string
	Arguments []*string
}

// trip is the statements of one round trip.
type trip []statement

// statementLog is the server's log.
type statementLog struct {
	folder  string
	capture int // the number of the current capture, which is part of its markers
}

// logged is a line of the log.
type logged struct {
	Message, Detail string
	VXID            string // the transaction, which pipelined statements share
}

// begins reports whether the line opens an explicit transaction. Its statements
// share the VXID although each is a round trip.
func (l logged) begins() bool { return beginning.MatchString(l.Message) }

var markPattern = regexp.MustCompile(`SELECT 'mark (\d+) of (\d+)'$`)

// await waits until the last marker is in the log, and returns the statements
// between the markers.
func (l *statementLog) await(ctx context.Context, last int) ([][]trip, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		requests, err := l.read(last)
		if err != nil || requests != nil {
			return requests, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// read returns the statements between the markers 0 to last of the capture, or
// nil while the last one is missing.
func (l *statementLog) read(last int) (requests [][]trip, err error) {
	files, err := filepath.Glob(filepath.Join(l.folder, "cluster", "log", "statements*.json"))
	if err != nil || len(files) != 1 {
		return nil, errors.Join(err, fmt.Errorf("got %d statement logs, want 1", len(files)))
	}
	file, err := os.Open(files[0]) //nolint:gosec // of our own server
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var (
		current, transaction, opened = -1, "", ""
		scanner                      = bufio.NewScanner(file)
	)
	requests = make([][]trip, last)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var line logged
		if json.Unmarshal(scanner.Bytes(), &line) != nil {
			return nil, nil // the line is incomplete
		}
		if found := markPattern.FindStringSubmatch(line.Message); found != nil {
			if transaction = ""; found[2] == strconv.Itoa(l.capture) {
				current, _ = strconv.Atoi(found[1])
			}
			continue
		}
		if line.begins() {
			opened = line.VXID
			continue
		}
		s, ok := line.statement()
		if !ok || current < 0 || current >= last {
			continue
		}
		trips := &requests[current]
		if transaction != line.VXID || line.VXID == opened {
			*trips, transaction = append(*trips, nil), line.VXID
		}
		newest := &(*trips)[len(*trips)-1]
		*newest = append(*newest, s)
	}
	if current != last {
		return nil, scanner.Err()
	}
	return requests, scanner.Err()
}

var (
	beginning = regexp.MustCompile(`(?i)^(statement|execute [^:]*): begin`)
	executed  = regexp.MustCompile(`(?s)^execute [^:]*: (.*)$`)
	named     = regexp.MustCompile(`^\s*/\* ([a-z]+)\.`)
	parameter = regexp.MustCompile(`(?s)\$\d+ = (NULL|'((?:[^']|'')*)')`)
)

// beside are the nouns of statements that do not belong to a request's reads:
// concurrent requests share them, or they are writes.
var beside = []string{"head", "key", "quota", "usage", "session", "secrets", "label", "listen", "epoch"}

// statement returns the statement of a line.
func (l logged) statement() (s statement, ok bool) {
	found := executed.FindStringSubmatch(l.Message)
	if found == nil {
		return s, false
	}
	if noun := named.FindStringSubmatch(found[1]); noun != nil && slices.Contains(beside, noun[1]) {
		return s, false
	}
	s.SQL = found[1]
	for _, p := range parameter.FindAllStringSubmatch(l.Detail, -1) {
		if p[1] == "NULL" {
			s.Arguments = append(s.Arguments, nil)
			continue
		}
		s.Arguments = append(s.Arguments, new(strings.ReplaceAll(p[2], "''", "'")))
	}
	return s, true
}

// effort formats the number of statements and round trips per request: the
// median, and the maximum if it is higher.
func effort(requests [][]trip) string {
	statements, trips := make([]int, len(requests)), make([]int, len(requests))
	for i, r := range requests {
		trips[i] = len(r)
		for _, t := range r {
			statements[i] += len(t)
		}
	}
	slices.Sort(statements)
	slices.Sort(trips)
	middle, last := len(requests)/2, len(requests)-1
	text := fmt.Sprintf("%d statements in %d round trips", statements[middle], trips[middle])
	if statements[last] > statements[middle] || trips[last] > trips[middle] {
		text += fmt.Sprintf(", at most %d in %d", statements[last], trips[last])
	}
	return text
}

// shape returns what requests must have in common to be run by one script: the
// texts of their statements, and which are pipelined.
func shape(trips []trip) string {
	var text strings.Builder
	for _, t := range trips {
		for _, s := range t {
			text.WriteString(s.SQL + "\x00")
		}
		text.WriteString("\x01")
	}
	return text.String()
}

// alike returns the indexes of the requests of the most frequent shape.
func alike(requests [][]trip) (places []int) {
	byShape := map[string][]int{}
	for i, trips := range requests {
		s := shape(trips)
		if byShape[s] = append(byShape[s], i); len(byShape[s]) > len(places) {
			places = byShape[s]
		}
	}
	return places
}
