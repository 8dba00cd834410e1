package domain

// Page is one bounded slice of an ordered list. Next is the position after
// its last item, and nil when the list ends here.
type Page[T any] struct {
	Items []T
	Next  Position
}

// PageRequest asks for at most Limit items that follow After; a nil After
// asks for the first page.
type PageRequest struct {
	Limit int
	After Position
}

// CutPage turns the rows of a query that fetched one row more than asked into
// a page: the extra row only proves that the list goes on. The position of
// the last kept row, as position tells it, becomes the page's Next.
func CutPage[T any](rows []T, limit int, position func(T) Position) Page[T] {
	if len(rows) <= limit {
		return Page[T]{Items: rows}
	}
	kept := rows[:limit]
	return Page[T]{Items: kept, Next: position(kept[limit-1])}
}
