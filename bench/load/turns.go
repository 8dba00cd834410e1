package load

import (
	"fmt"
	"slices"
	"strings"
)

// InTurns measures every contestant once per round, so that load on the machine
// affects all of them, and returns the rates of each. Every other round goes
// backwards: if the machine slows down, no contestant is always the later one.
func InTurns(rounds int, contestants ...func() (float64, error)) ([][]float64, error) {
	rates := make([][]float64, len(contestants))
	for round := range rounds {
		for i := range contestants {
			if round%2 == 1 {
				i = len(contestants) - 1 - i
			}
			rate, err := contestants[i]()
			if err != nil {
				return nil, err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	return rates, nil
}

// Turns are the rates of an earlier commit and of this one, round by round.
type Turns struct{ Baseline, Current []float64 }

// Ratio formats the ratio of the medians, then the median of the rounds'
// ratios, which a change of the machine's speed affects less, and their
// interquartile range.
func (t Turns) Ratio() string {
	ratios := make([]float64, len(t.Current))
	for i, rate := range t.Current {
		ratios[i] = rate / t.Baseline[i]
	}
	slices.Sort(ratios)
	quarter := len(ratios) / 4
	return fmt.Sprintf("%.2f  within rounds %.2f, half of them from %.2f to %.2f",
		Median(t.Current)/Median(t.Baseline), Median(ratios), ratios[quarter], ratios[len(ratios)-1-quarter])
}

// Rounds formats the median of rates and each rate.
func Rounds(rates []float64) string {
	texts := make([]string, len(rates))
	for i, rate := range rates {
		texts[i] = fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.0f  in rounds of %s", Median(rates), strings.Join(texts, ", "))
}

// Median returns the median.
func Median[T interface{ ~float64 | ~int64 }](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
