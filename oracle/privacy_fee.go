package oracle

import (
	"math/big"
)

// poolFee is a fee with the settings that prove it.
type poolFee struct {
	paid              transfer
	collector, amount *poolEvent
}

// charge finds the fees of a pool's events, which come from the oldest: transfers
// of STRK to the collector in force, of the amount in force, each with the first
// event that follows it in its transaction.
func (m *Model) charge(events []*poolEvent) {
	for i, e := range events {
		after := -1 // the previous event of the pool in the transaction
		if i > 0 && events[i-1].tx == e.tx {
			after = events[i-1].log
		}
		for _, paid := range e.transfers {
			if paid.log <= after || paid.log >= e.log || paid.token != strk || paid.standard != "erc20" {
				continue
			}
			var collector, amount *poolEvent
			for _, before := range events[:i] {
				switch before.name {
				case "fee_collector_set":
					collector = before
				case "fee_amount_set":
					amount = before
				}
			}
			if isFee(paid, collector, amount) {
				e.fees = append(e.fees, poolFee{paid, collector, amount})
			}
		}
	}
}

// isFee reports whether the settings in force, nil where there is none, prove
// that a transfer is a fee.
func isFee(paid transfer, collector, amount *poolEvent) bool {
	if collector == nil || amount == nil {
		return false
	}
	to, value := collector.field("party"), amount.amount()
	return to != nil && value != nil && value.Sign() > 0 && paid.movement.to == *to && paid.movement.amount.Cmp(value) == 0
}

func (f poolFee) body() object {
	return object{
		"tokenAddress": f.paid.token.String(), "amountRaw": f.paid.movement.amount.String(), "collectorAddress": f.paid.movement.to.String(),
		"transferLogIndex": f.paid.log, "transferIndex": f.paid.place,
		"feeCollectorConfig": f.collector.place(), "feeAmountConfig": f.amount.place(),
	}
}

func (e *poolEvent) place() object {
	return object{"blockNumber": e.block.BlockNumber, "txIndex": e.index, "logIndex": e.log}
}

// poolFees sums and counts the fees of events.
func poolFees(events []*poolEvent) (sum *big.Int, count int) {
	sum = new(big.Int)
	for _, e := range events {
		for _, f := range e.fees {
			sum.Add(sum, f.paid.movement.amount)
			count++
		}
	}
	return sum, count
}
