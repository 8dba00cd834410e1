package fault

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// walk visits the places of a result in a fixed order.
type walk struct {
	yield func(name string, change func()) bool
	done  bool
}

func (w *walk) place(name string, change func()) {
	if !w.done {
		w.done = !w.yield(name, change)
	}
}

// block visits the header, and the transactions with their receipts.
func (w *walk) block(b map[string]any) {
	w.object("header", b, "transactions")
	pairs := w.list("transactions", b, "transactions", ordered)
	for i := range pairs {
		pair, _ := pairs[i].(map[string]any)
		if i > 0 {
			before, _ := pairs[i-1].(map[string]any)
			w.place("receipts.swap", func() { before["receipt"], pair["receipt"] = pair["receipt"], before["receipt"] })
		}
		if t, ok := pair["transaction"].(map[string]any); ok {
			w.transaction(t)
		}
		if r, ok := pair["receipt"].(map[string]any); ok {
			w.receipt(r)
		}
	}
}

// transaction visits a transaction without the members that determine which
// others it has.
func (w *walk) transaction(t map[string]any) {
	except := []string{"type"}
	if t["type"] == "L1_HANDLER" {
		except = append(except, "version") // there is only one
	}
	w.object("transaction."+variant(t), t, except...)
}

// variant is a transaction's type and version, such as invoke_v3.
func variant(t map[string]any) string {
	kind, _ := t["type"].(string)
	version, _ := t["version"].(string)
	return strings.ToLower(kind) + "_v" + strings.TrimPrefix(version, "0x")
}

func (w *walk) receipt(r map[string]any) {
	w.object("receipt", r, "events", "messages_sent", "execution_status")
	w.place("receipt.execution_status", func() { exchangeOutcome(r) })
	for _, item := range w.list("events", r, "events", ordered) {
		w.value("event", item, nil)
	}
	for _, item := range w.list("messages", r, "messages_sent", ordered) {
		w.value("message", item, nil)
	}
}

// exchangeOutcome makes a receipt's transaction succeed or revert. Only reverted
// ones have a reason.
func exchangeOutcome(r map[string]any) {
	if r["execution_status"] == "REVERTED" {
		r["execution_status"] = "SUCCEEDED"
		delete(r, "revert_reason")
		return
	}
	r["execution_status"], r["revert_reason"] = "REVERTED", "a lie"
}

// stateUpdate visits a state update. The lists of a state diff are sets.
func (w *walk) stateUpdate(u map[string]any) {
	w.object("state_update", u, "state_diff")
	diff, _ := u["state_diff"].(map[string]any)
	w.contracts(diff)
	for _, key := range slices.Sorted(maps.Keys(diff)) {
		name := "state_diff." + key
		for i, item := range w.list(name, diff, key, unordered) {
			object, ok := item.(map[string]any)
			if !ok {
				list, _ := diff[key].([]any)
				w.value(name, item, func(v any) { list[i] = v })
				continue
			}
			w.object(name, object, "storage_entries")
			for _, entry := range w.list("state_diff.storage_entries", object, "storage_entries", unordered) {
				w.value(name, entry, nil)
			}
		}
	}
}

// contracts visits the contracts that a state diff lists as deployed although they
// got another class, or the reverse: one hash commits to both lists.
func (w *walk) contracts(diff map[string]any) {
	move := func(from, key, to, keyThere string) {
		list, _ := diff[from].([]any)
		there, _ := diff[to].([]any)
		for i := range list {
			item, _ := list[i].(map[string]any)
			w.place("state_diff."+from+".move", func() {
				diff[from] = slices.Delete(slices.Clone(list), i, i+1)
				diff[to] = append(slices.Clone(there), map[string]any{keyThere: item[key], "class_hash": item["class_hash"]})
			})
		}
	}
	move("deployed_contracts", "address", "replaced_classes", "contract_address")
	move("replaced_classes", "contract_address", "deployed_contracts", "address")
}

func (w *walk) class(c map[string]any) {
	name := "class.sierra"
	if c["program"] != nil {
		name = "class.cairo0"
	}
	w.object(name, c)
}

// object visits the members of an object but some.
func (w *walk) object(name string, object map[string]any, except ...string) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(except, key) || w.done {
			continue
		}
		inner := name + "." + strings.ToLower(key)
		if list, ok := object[key].([]any); ok {
			w.list(inner, object, key, ordered)
			for i, item := range list {
				w.value(inner, item, func(v any) { list[i] = v })
			}
			continue
		}
		w.value(inner, object[key], func(v any) { object[key] = v })
	}
}

// value visits an object or a scalar, which set replaces.
func (w *walk) value(name string, value any, set func(any)) {
	if object, ok := value.(map[string]any); ok {
		w.object(name, object)
		return
	}
	if other, ok := another(name, value); ok {
		w.place(name, func() { set(other) })
	}
}

// Whether the order of a list means something, so that a swap is a lie.
const (
	ordered   = true
	unordered = false
)

// list visits the items of a list as such, and returns them.
func (w *walk) list(name string, parent map[string]any, key string, ordered bool) []any {
	items, _ := parent[key].([]any)
	for i := range items {
		if w.done {
			return nil
		}
		w.place(name+".drop", func() { parent[key] = slices.Delete(slices.Clone(items), i, i+1) })
		w.place(name+".duplicate", func() { parent[key] = slices.Insert(slices.Clone(items), i, items[i]) })
		if ordered && i > 0 && !reflect.DeepEqual(items[i-1], items[i]) {
			w.place(name+".swap", func() { items[i-1], items[i] = items[i], items[i-1] })
		}
	}
	return items
}
