package repo

import "fmt"

// ByParent groups the rows of a statement over several parents into one list
// per parent and keeps their order. Such statements take their parents as
// arrays WITH ORDINALITY, which counts from 1. read returns a row's parent and
// its item.
func ByParent[R, T any](rows []R, parents int, read func(*R) (parent int64, item T, err error)) ([][]T, error) {
	lists := make([][]T, parents)
	for i := range rows {
		parent, item, err := read(&rows[i])
		if err != nil {
			return nil, err
		}
		if parent < 1 || parent > int64(parents) {
			return nil, fmt.Errorf("got a row of parent %d, want 1 to %d", parent, parents)
		}
		lists[parent-1] = append(lists[parent-1], item)
	}
	return lists, nil
}
