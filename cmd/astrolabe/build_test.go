package main

import (
	"log/slog"
	"strings"
	"testing"

	"astrolabe/domain/verify"
)

func TestBuilderLogsEveryMeasureAtStart(t *testing.T) {
	t.Parallel()
	for _, ready := range []bool{true, false} {
		var log strings.Builder
		logBuilder(slog.New(slog.NewTextHandler(&log, nil)), verify.Builder{
			Ready: ready, Measures: []verify.Measure{{Name: "network", By: "namespace"}, {Name: "memory", By: "cgroup"}},
		})
		if want := `measures="network by namespace, memory by cgroup"`; !strings.Contains(log.String(), want) {
			t.Errorf("ready %t: got the log %q, want %s in it", ready, log.String(), want)
		}
	}
}
