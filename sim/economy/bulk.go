package economy

// bulkCalls is the number of transfers in a transaction of a bulk chain; the
// fee adds one more event.
const bulkCalls = 7

// bulk fills a block with transfers of several tokens until it has enough events.
func (t *turn) bulk() {
	for events := 0; events < t.profile.Events; {
		user := t.someone()
		token := pick(t, t.network.Strk, t.network.Strk, t.network.Eth, t.network.UsdcBridged)
		calls := make([]call, 0, bulkCalls)
		for range 1 + t.b.Rand.IntN(2*bulkCalls-1) {
			calls = append(calls, transfer(token, t.someone().address, t.fraction(token, user.address, 5000)))
		}
		receipt := t.invoke(user, calls...)
		if receipt == nil {
			return
		}
		events += len(receipt.Events)
	}
}
