package sandbox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"astrolabe/sandbox"
	"astrolabe/sandbox/sandboxtest"
)

func TestHostIsSufficient(t *testing.T) {
	t.Parallel()
	for _, measure := range sandboxtest.Open(t).Measures() {
		if measure.By == "" || measure.Missing != "" {
			t.Errorf("got %+v, want the measure enforced", measure)
		}
		t.Logf("%s by %s", measure.Name, measure.By)
	}
}

// TestProbeNamesTheMissingMeasure takes each measure away and expects the probe to notice that one.
func TestProbeNamesTheMissingMeasure(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	for _, name := range sandbox.MeasureNames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sandbox.Unprobed(name)
			if err != nil {
				t.Fatal(err)
			}
			if sandbox.IsLimit(name) {
				if reason := s.ProbeLimit(t.Context(), name); !strings.Contains(reason, "A program exceeded the "+name) {
					t.Errorf("got the reason %q, want one that names the limit", reason)
				}
				return
			}
			measures, err := s.ProbeIsolation(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var missing []string
			for _, measure := range measures {
				if measure.Missing != "" {
					missing = append(missing, measure.Name)
				}
			}
			want := []string{name}
			if name == "seccomp" {
				want = []string{"network", "seccomp"} // sockets in mounted folders are refused by the filter alone
			}
			if !slices.Equal(missing, want) {
				t.Errorf("got the missing measures %q, want %q", missing, want)
			}
		})
	}
}

func TestHostWithoutBubblewrapIsUnavailable(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Open(t.Context(), sandbox.Options{Bubblewrap: "/nonexistent/bwrap"})
	var unavailable *sandbox.UnavailableError
	if !errors.As(err, &unavailable) || len(unavailable.Measures) != len(sandbox.MeasureNames) {
		t.Fatalf("got %v, want an UnavailableError with %d measures", err, len(sandbox.MeasureNames))
	}
	if reason := "/nonexistent/bwrap: no such file"; strings.Count(err.Error(), reason) != 1 {
		t.Errorf("got %q, want the reason %q once", err, reason)
	}
}

func TestCgroupsThatDoNotLimitAreNotUsed(t *testing.T) {
	t.Parallel()
	sandboxtest.Open(t)
	s, err := sandbox.Unprobed()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SettleWithIdleGroups(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, measure := range s.Measures() {
		if measure.Name == sandbox.LimitMemory && measure.By != "rlimit" {
			t.Errorf("got %+v, want an rlimit", measure)
		}
	}
}
