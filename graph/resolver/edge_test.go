package resolver

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/graph-gophers/dataloader/v7"

	"astrolabe/domain"
	"astrolabe/graph/cohort"
)

// shelf is an object with a list of books.
type shelf struct {
	membership[*shelf]
	key int
}

// book is an item of a shelf's list.
type book struct {
	membership[*book]
	title int
}

func (s *shelf) IsNode()     {}
func (s *shelf) ID() string  { return "" }
func (s *shelf) number() int { return s.key }

// list reads the arguments as the resolvers of a field do.
func (s *shelf) list(_ context.Context, _ string, first *int, after *string) (*listing, error) { //nolint:unparam // The interface has it.
	l := &listing{request: domain.PageRequest{Limit: *first}}
	page := pageArguments{limit: *first}
	if after != nil {
		l.request.After, page.after = domain.Position{1}, *after
	}
	l.kind = cohort.Kind{Name: "shelf.books", Arguments: page}
	return l, nil
}

func newShelves(keys ...int) []*shelf {
	return joinCohort(nil, convert(keys, func(key int) *shelf { return &shelf{key: key} }))
}

// library records which pages of which shelves were read.
type library struct{ read [][]int }

func (l *library) books() pager[int, domain.Page[int], slice[*book]] {
	return pager[int, domain.Page[int], slice[*book]]{
		func(page domain.PageRequest) dataloader.BatchFunc[int, domain.Page[int]] {
			return cohort.All(func(_ context.Context, shelves []int) ([]domain.Page[int], error) {
				l.read = append(l.read, shelves)
				return convert(shelves, func(shelf int) domain.Page[int] { return domain.Page[int]{Items: make([]int, page.Limit)} }), nil
			})
		},
		func(b *cohort.Batch[int, domain.Page[int]]) []slice[*book] {
			return slicesOf(b.Cache, b.Values, nil, func(i, _ int) *book { return &book{title: b.Keys[i]} })
		},
	}
}

func TestFirstPagesLoadPerCohortAndLaterPagesAlone(t *testing.T) {
	t.Parallel()
	var l library
	shelves := newShelves(1, 2, 3)
	for _, ask := range []struct {
		shelf *shelf
		first int
		after *string
	}{
		{shelves[1], 2, nil}, {shelves[0], 2, nil}, // the same page
		{shelves[0], 5, nil}, {shelves[2], 5, nil}, // other arguments
		{shelves[1], 2, new("cursor")}, {shelves[2], 2, new("cursor")},
	} {
		page, err := connect(t.Context(), ask.shelf, &ask.first, ask.after, (*shelf).number, l.books(), nil)
		if err != nil || len(page.items) != ask.first || page.items[0].title != ask.shelf.key {
			t.Errorf("shelf %d: want %d of its books, got %v, %v", ask.shelf.key, ask.first, page, err)
		}
	}
	if diff := cmp.Diff([][]int{{1, 2, 3}, {1, 2, 3}, {2}, {3}}, l.read); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
}

func TestItemsOfAllPagesFormOneCohort(t *testing.T) {
	t.Parallel()
	var l library
	first := 2
	shelves := newShelves(1, 2)
	page, _, err := toMany(t.Context(), shelves[0], &first, nil, (*shelf).number, l.books())
	if err != nil {
		t.Fatal(err)
	}
	if members := len(page.items[0].cohort().Members); members != 4 {
		t.Errorf("want a cohort of 4 books, got %d", members)
	}
}

// firstBook looks up a book of a shelf: none for shelf 2, and shelf 3 fails.
func firstBook(read *[][]int, broken error) lookup[int, *int, *book] {
	return lookupOf(
		cohort.Fact[int, *int]{Kind: cohort.Kind{Name: "first book"}, Read: cohort.Each(func(_ context.Context, shelves []int) ([]*dataloader.Result[*int], error) {
			*read = append(*read, shelves)
			results := make([]*dataloader.Result[*int], len(shelves))
			for i, shelf := range shelves {
				switch results[i] = new(dataloader.Result[*int]); shelf {
				case 1:
					results[i].Data = new(shelf)
				case 3:
					results[i].Error = broken
				}
			}
			return results, nil
		})},
		func(title *int) *book { return &book{title: *title} },
	)
}

func TestEdgeReturnsItsObjectNullOrItsOwnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var read [][]int
	named := func(s *shelf) (int, bool) { return s.key, s.key != 4 }
	for _, s := range newShelves(1, 2, 3, 4, 1) {
		got, err := toOne(t.Context(), s, "shelf.firstBook", named, firstBook(&read, broken))
		if found, failed := got != nil, err != nil; found != (s.key == 1) || failed != (s.key == 3) {
			t.Errorf("shelf %d: got %v and %v, want a book for shelf 1, null for 2, an error for 3", s.key, got, err)
		}
	}
	if diff := cmp.Diff([][]int{{1, 2, 3}}, read); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
}
