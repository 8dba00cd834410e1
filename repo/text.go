package repo

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"

	"astrolabe/cache"
)

// texts remembers the statements that Text has made. They are few: their
// templates are constants, and their numbers are those of chains and of RowsFor.
var texts = cache.Must(lru.New[template, string](1024))

// template is a statement before its numbers are put in.
type template struct {
	format  string
	numbers [2]int
}

// Text puts one or two numbers into the text of a statement, once for all
// requests: the chain's, and how many rows it asks for.
func Text(format string, numbers ...int) string {
	asked := template{format: format}
	copy(asked.numbers[:], numbers)
	text, known := texts.Get(asked)
	if known {
		return text
	}
	switch len(numbers) {
	case 1:
		text = fmt.Sprintf(format, numbers[0])
	default:
		text = fmt.Sprintf(format, numbers[0], numbers[1])
	}
	texts.Add(asked, text)
	return text
}
