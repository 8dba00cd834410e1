package indexed

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseSizes parses a list of ascending numbers of events.
func ParseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.FieldsSeq(text) {
		n, err := strconv.Atoi(word)
		if err != nil || n < leastEvents || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%q is not a list of ascending numbers from %d on", text, leastEvents)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return nil, errors.New("the list of sizes is empty")
	}
	return sizes, nil
}
