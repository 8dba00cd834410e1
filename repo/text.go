package repo

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
)

// texts caches the statements that Text has formatted. They are few: the
// templates are constants, and the numbers are chain codes and results of
// RowsFor.
var texts = cache.Must(lru.New[template, string](1024))

// template is a statement and the numbers to format it with.
type template struct {
	format  string
	numbers [2]int
}

// Text formats a statement with one or two numbers, the chain's code and
// usually a row limit, and caches the result.
func Text(format string, numbers ...int) string {
	key := template{format: format}
	copy(key.numbers[:], numbers)
	text, known := texts.Get(key)
	if known {
		return text
	}
	switch len(numbers) {
	case 1:
		text = fmt.Sprintf(format, numbers[0])
	default:
		text = fmt.Sprintf(format, numbers[0], numbers[1])
	}
	texts.Add(key, text)
	return text
}
