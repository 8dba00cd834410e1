package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
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
			t.Errorf("docs/operating.md: want the metric %s", family[1])
		}
	}
}
