package oracle

import (
	"maps"
	"slices"
	"time"
)

// poolTVL is the snapshot of the ledger.
func (m *Model) poolTVL() object {
	l := m.poolLedger()
	body := m.poolHead()
	coverage := object{
		"status": "unavailable", "reasonCode": "no_finalized_flow_snapshot", "finalizedOnly": true, "finalityBasis": "service_indexed_finalized_tier",
		"asOfL1Accepted": nil, "latestL1AcceptedBlockNumber": nil, "latestL1AcceptedBlockHash": nil, "fromBlockNumber": nil, "throughBlockNumber": nil,
		"missingAmountEventCount": 0, "decodedMaterializationFresh": false, "decodedEventLagBlocks": nil, "latestEventCursor": nil,
		"latestEventBlockNumber": nil, "poolContractCount": 0, "tokenCount": 0,
	}
	asOf := object{"blockNumber": nil, "blockHash": nil, "blockTimestamp": nil}
	body["status"], body["asOf"], body["coverage"], body["assets"] = "unavailable", asOf, coverage, []object{}
	if l.empty() {
		return body
	}
	assets := l.assets()
	status, reason := l.status(assets)
	if status == "complete" && l.lag() > 0 {
		status, reason = "degraded", "decoded_materialization_lag"
	}
	asOf["blockNumber"], asOf["blockHash"], asOf["blockTimestamp"] = l.through.BlockNumber, l.through.BlockHash.String(), iso(l.through.Timestamp)
	if m.L1 != nil {
		coverage["asOfL1Accepted"] = l.through.BlockNumber <= *m.L1
		coverage["latestL1AcceptedBlockNumber"], coverage["latestL1AcceptedBlockHash"] = *m.L1, m.at(*m.L1).BlockHash.String()
	}
	maps.Copy(coverage, object{
		"status": status, "reasonCode": reason, "fromBlockNumber": l.events[0].block.BlockNumber, "throughBlockNumber": l.through.BlockNumber,
		"missingAmountEventCount": l.missing(), "decodedMaterializationFresh": l.lag() == 0, "decodedEventLagBlocks": l.lag(),
		"latestEventBlockNumber": l.events[len(l.events)-1].block.BlockNumber, "poolContractCount": 1, "tokenCount": len(assets),
	})
	if flow := l.newestFlow(); flow != nil {
		coverage["latestEventCursor"] = flow.cursor()
	}
	body["status"] = status
	body["assets"] = render(assets, func(a *poolAsset) object {
		asset := m.poolFlow(a)
		asset["token"], asset["poolContractCount"] = m.poolToken(a.token), 1
		if d := m.called[a.token]; asset["status"] == "complete" && d.Decimals != nil {
			asset["protectedAmount"] = inWhole(a.net(), *d.Decimals)
		}
		return asset
	})
	return body
}

// poolFlow is what flowed of a token, without its decimals.
func (m *Model) poolFlow(a *poolAsset) object {
	status, reason := a.status()
	return object{
		"status": status, "reasonCode": reason, "depositAmountRaw": a.deposited.String(), "withdrawalAmountRaw": a.withdrawn.String(),
		"protectedAmountRaw": a.net().String(), "protectedAmount": nil, "depositEventCount": a.deposits, "withdrawalEventCount": a.withdrawals,
		"missingAmountEventCount": a.missing,
	}
}

// hourly are the ledgers at the end of each hour that has a point.
func (l ledger) hourly() (hours []uint64, points []ledger) {
	if l.empty() {
		return nil, nil
	}
	for hour := l.events[0].block.Timestamp / 3600 * 3600; ; hour += 3600 {
		var last *Block // before the hour's end
		passed := false // the hour, by finalized blocks
		for i := range l.m.Blocks {
			switch b := &l.m.Blocks[i]; {
			case b.Timestamp < hour+3600:
				last = b
			case b.BlockNumber <= *l.m.Finalized:
				passed = true
			}
		}
		if !passed || last.BlockNumber > l.through.BlockNumber {
			return hours, points
		}
		hours, points = append(hours, hour), append(points, l.upTo(last))
	}
}

// poolPoints lists the hourly points, oldest first.
func (m *Model) poolPoints(r Request) Answer {
	from, err := time.Parse(time.RFC3339, r.Query.Get("from"))
	to, toErr := time.Parse(time.RFC3339, r.Query.Get("to"))
	limit, ok := limitOf(r.Query, "limit", 24, 24)
	if err != nil || toErr != nil || !ok || from.After(to) {
		return invalid
	}
	var rows []object
	hours, points := m.poolLedger().hourly()
	for i, hour := range hours {
		if at := int64(hour); at >= from.Unix() && at <= to.Unix() { //nolint:gosec // A block's time.
			rows = append(rows, m.poolPoint(hour, points[i]))
		}
	}
	more := m.poolHead()
	maps.Copy(more, object{"granularity": "hour", "order": "ascending", "from": r.Query.Get("from"), "to": r.Query.Get("to"), "limit": limit})
	return pageOf(m, r, 24, 24, rows, func(o object) object { return o }, more)
}

func (m *Model) poolPoint(hour uint64, l ledger) object {
	all := l.assets()
	shown := slices.DeleteFunc(slices.Clone(all), func(a *poolAsset) bool { return a.net().Sign() == 0 && a.missing == 0 })
	status, reason := l.status(shown)
	asOf := object{
		"blockNumber": l.through.BlockNumber, "blockHash": l.through.BlockHash.String(), "blockTimestamp": iso(l.through.Timestamp), "latestEventCursor": nil,
	}
	if flow := l.newestFlow(); flow != nil {
		asOf["latestEventCursor"] = flow.cursor()
	}
	return object{
		"timestamp": iso(hour), "accountingMethod": "finalized_public_flow_ledger_v1", "asOf": asOf, "status": status, "reasonCode": reason,
		"missingAmountEventCount": l.missing(), "poolContractCount": 1, "tokenCount": len(all),
		"assets": render(shown, func(a *poolAsset) object {
			asset := m.poolFlow(a)
			asset["token"] = object{"address": a.token.String()}
			if d := m.called[a.token]; asset["status"] == "complete" && d.Decimals != nil {
				asset["protectedAmount"] = inWhole(a.net(), *d.Decimals)
			}
			return asset
		}),
	}
}
