package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"astrolabe/httpserver"
)

// mostMetrics is how many metric families of its own a process may have.
const mostMetrics = 40

// documentsItsMetrics compares the metrics of a process that does everything
// with the table in docs/operating.md.
func (s *simulated) documentsItsMetrics(t *testing.T) {
	guide, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	families := regexp.MustCompile(`(?m)^# TYPE (astrolabe_\w+) `).FindAllStringSubmatch(get(t, s.demo.AdminURL+"/metrics"), -1)
	if len(families) < 10 || len(families) > mostMetrics {
		t.Errorf("got %d metrics, want 10 to %d", len(families), mostMetrics)
	}
	for _, family := range families {
		if !strings.Contains(string(guide), "`"+family[1]+"`") {
			t.Errorf("docs/operating.md: got no metric %s, want it", family[1])
		}
	}
}

// limitsItsMemory compares the soft limit of a process that serves and indexes
// with the sum of the two.
func (s *simulated) limitsItsMemory(t *testing.T) {
	const cacheMB = 64 // by default
	metrics := get(t, s.demo.AdminURL+"/metrics")
	for name, want := range map[string]int64{
		"go_gc_gomemlimit_bytes": httpserver.SoftMemory + cacheMB<<20 + indexMemory,
		"go_gc_gogc_percent":     httpserver.GCPercent,
	} {
		got := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(metrics)
		if got == nil {
			t.Errorf("got no %s, want %d", name, want)
		} else if value, err := strconv.ParseFloat(got[1], 64); err != nil || int64(value) != want {
			t.Errorf("%s: got %s, want %d", name, got[1], want)
		}
	}
}
