package load

import (
	"fmt"
	"slices"
	"strings"
)

// InTurns lets everybody be measured once in every round, so that a busy moment
// hits all of them, and returns the rates of each. Every other round goes
// backwards: on a machine that becomes slower, nobody is always the later one.
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

// Ratio prints the ratio of the medians, then the median of the rounds' own
// ratios, which a machine that becomes slower or faster disturbs less, and
// between what the middle half of them lies.
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

// Rounds prints the median of rates and each of them.
func Rounds(rates []float64) string {
	texts := make([]string, len(rates))
	for i, rate := range rates {
		texts[i] = fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.0f  in rounds of %s", Median(rates), strings.Join(texts, ", "))
}

// Median returns the value in the middle.
func Median[T interface{ ~float64 | ~int64 }](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
