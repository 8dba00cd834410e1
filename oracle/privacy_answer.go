package oracle

import (
	"maps"
	"net/http"
	"slices"

	"astrolabe/starknet"
)

// privacy answers the routes of privacy pools.
func (m *Model) privacy(r Request, route string) Answer {
	switch route {
	case "events":
		return m.poolEventList(r)
	case "commitments", "nullifiers":
		return m.poolNotes(r, route)
	case "status":
		return found(m.poolStatus())
	case "tvl":
		return found(m.poolTVL())
	case "tvl/series":
		return m.poolPoints(r)
	case "metric-buckets":
		return m.poolBuckets(r)
	case "metrics/series":
		return found(m.poolSeries(r))
	}
	if m.Finalized == nil { // sums of nothing would be zeros
		return Answer{Status: http.StatusServiceUnavailable, Code: "service_unavailable"}
	}
	return found(m.poolAnalytics())
}

func (m *Model) poolHead() object {
	return object{
		"schemaVersion": "1", "chainId": m.Chain, "scope": "strk20_privacy_pool", "accountingMethod": "finalized_public_flow_ledger_v1",
	}
}

func (m *Model) poolToken(token starknet.Felt) object {
	d := m.called[token]
	return object{"address": token.String(), "symbol": d.Symbol, "name": d.Name, "decimals": d.Decimals}
}

func (m *Model) poolVisibility(name string) string {
	switch name {
	case "enc_note_created", "note_used":
		return "hidden_by_design"
	case "withdrawal", "open_note_created", "viewing_key_set", protocolEvent:
		return "partial"
	}
	return "public"
}

// poolEventList lists the events of the pool, newest first.
func (m *Model) poolEventList(r Request) Answer {
	rows := newestFirst(m.poolEvents())
	if name := r.Query.Get("event"); name != "" {
		rows = slices.DeleteFunc(rows, func(e *poolEvent) bool { return e.name != name })
	}
	more := m.poolHead()
	more["eventDecodingDegraded"] = false
	return pageOf(m, r, 25, 100, rows, m.poolEventBody, more)
}

func (m *Model) poolEventBody(e *poolEvent) object {
	body := m.eventBody(e.emission)
	switch source := body["eventNameSource"]; {
	case e.name == protocolEvent || !e.malformed && !e.unread:
	case (source == "class_abi" || source == "verified_abi") && body["decodingStatus"] == "name_only": // the payload does not fit
	default:
		for name, value := range meaning("name_only", e.name, "curated_selector", "selector_only_attribution") {
			body[name] = value
		}
		delete(body, "decodedFields")
	}
	body["eventName"], body["sourceTier"] = e.name, m.tier(e.block)
	public := object{
		"visibility": m.poolVisibility(e.name), "actorAddress": nil, "toAddress": nil, "token": nil, "amountRaw": nil, "noteId": nil, "nullifier": nil,
		"auditorPublicKey": nil,
	}
	switch e.name {
	case "viewing_key_set", "deposit", "open_note_deposited":
		public["actorAddress"] = feltOrNull(e.field("party"))
	case "withdrawal", "external_contract_invoked", "fee_collector_set":
		public["toAddress"] = feltOrNull(e.field("party"))
	}
	if token := e.field("token"); token != nil {
		public["token"] = m.poolToken(*token)
	}
	if amount := e.amount(); amount != nil {
		public["amountRaw"] = amount.String()
	}
	note := "noteId"
	if e.name == "note_used" {
		note = "nullifier"
	}
	public[note] = feltOrNull(e.field("note"))
	if slices.Contains([]string{"viewing_key_set", "withdrawal", "open_note_created", "auditor_public_key_set"}, e.name) && !e.malformed && !e.unread {
		public["auditorPublicKey"] = e.Receipt.Events[e.log].Data[0].String()
	}
	body["publicFields"], body["privacyFees"] = public, render(e.fees, poolFee.body)
	return body
}

// poolNotes lists the notes that were created or used, newest first.
func (m *Model) poolNotes(r Request, route string) Answer {
	names := []string{"enc_note_created", "open_note_created"}
	if route == "nullifiers" {
		names = []string{"note_used"}
	}
	rows := slices.DeleteFunc(newestFirst(m.poolEvents()), func(e *poolEvent) bool {
		pool := r.Query.Get("pool")
		return !slices.Contains(names, e.name) || e.field("note") == nil || pool != "" && felt(pool) != privacyPools[m.Chain]
	})
	return pageOf(m, r, 25, 100, rows, func(e *poolEvent) object {
		body := e.place()
		body["txHash"], body["poolContractAddress"] = e.Receipt.TransactionHash.String(), privacyPools[m.Chain].String()
		body["eventName"], body["sourceTier"] = e.name, m.tier(e.block)
		if route == "nullifiers" {
			body["nullifierHash"] = e.field("note").String()
		} else {
			body["commitmentHash"], body["tokenAddress"], body["amountRaw"] = e.field("note").String(), feltOrNull(e.field("token")), nil
		}
		return body
	}, m.poolHead())
}

// breakdown counts events by name.
func breakdown(events []*poolEvent) []object {
	list := []object{}
	for _, name := range append([]string{protocolEvent}, poolNames()...) {
		if n := count(events, name); n > 0 {
			list = append(list, object{"name": name, "count": n})
		}
	}
	return list
}

func poolNames() (names []string) {
	for _, f := range poolForms {
		names = append(names, f.name)
	}
	return names
}

// poolStatus counts all events, those above the finalized blocks too.
func (m *Model) poolStatus() object {
	events := m.poolEvents()
	body := m.poolHead()
	maps.Copy(body, object{
		"poolContracts": []string{privacyPools[m.Chain].String()}, "totalEvents": len(events), "eventBreakdown": breakdown(events),
		"depositCount": count(events, "deposit", "open_note_deposited"), "withdrawalCount": count(events, "withdrawal"),
		"openNoteCreatedCount": count(events, "open_note_created"), "openNoteDepositedCount": count(events, "open_note_deposited"),
		"encNoteCreatedCount": count(events, "enc_note_created"), "noteUsedCount": count(events, "note_used"),
		"auditorPublicKeySetCount": count(events, "auditor_public_key_set"), "viewingKeySetCount": count(events, "viewing_key_set"),
		"registeredUserCount": len(wallets(events)), "rawEventFilterTruncated": false,
		"noteState": object{
			"commitmentCount": count(events, "open_note_created", "enc_note_created"), "nullifierCount": count(events, "note_used"),
			"source": "public_decoded_event_rows",
		},
		"latestEvent": nil, "latestDecodedEvent": nil, "latestRawEvent": nil, "eventLagBlocks": nil, "materializationFresh": nil,
	})
	if len(events) == 0 {
		return body
	}
	latest := func(e *poolEvent) object {
		place := e.place()
		place["cursor"] = e.cursor()
		return place
	}
	newest := events[len(events)-1]
	body["latestEvent"], body["latestRawEvent"] = latest(newest), latest(newest)
	read := slices.DeleteFunc(slices.Clone(events), func(e *poolEvent) bool { return e.unread })
	if len(read) > 0 {
		decoded := read[len(read)-1]
		body["latestDecodedEvent"], body["eventLagBlocks"] = latest(decoded), newest.block.BlockNumber-decoded.block.BlockNumber
	}
	body["materializationFresh"] = len(read) == len(events)
	return body
}

// poolAnalytics sums the finalized events.
func (m *Model) poolAnalytics() object {
	l := m.poolLedger()
	body, visible := m.poolHead(), []object{}
	for _, visibility := range []string{"public", "partial", "hidden_by_design"} {
		n := 0
		for _, e := range l.events {
			if m.poolVisibility(e.name) == visibility {
				n++
			}
		}
		visible = append(visible, object{"name": visibility, "count": n})
	}
	txs, unknown := map[*tx]bool{}, 0
	for _, e := range l.events {
		txs[e.tx] = true
	}
	assets := l.assets()
	for _, a := range assets {
		if d := m.called[a.token]; d.Symbol == nil || d.Decimals == nil {
			unknown++
		}
	}
	slices.SortFunc(assets, func(a, b *poolAsset) int { return slices.Index(l.events, b.newest) - slices.Index(l.events, a.newest) })
	maps.Copy(body, object{
		"totalEvents": len(l.events), "uniqueTransactionCount": len(txs), "contractCount": min(1, len(l.events)), "latestEventBlock": nil,
		"eventBreakdown": breakdown(l.events), "visibilityBreakdown": visible, "tokenFlowsTruncated": false,
		"missingAmountEventCount": l.missing(), "unknownTokenCount": unknown,
		"tokenFlows": render(assets, func(a *poolAsset) object {
			return object{
				"token": m.poolToken(a.token), "eventCount": a.deposits + a.withdrawals, "depositEventCount": a.deposits, "withdrawalEventCount": a.withdrawals,
				"observableDepositAmountRaw": a.deposited.String(), "observableWithdrawalAmountRaw": a.withdrawn.String(),
				"observableNetAmountRaw": a.net().String(), "missingAmountEventCount": a.missing,
			}
		}),
		"unavailableMetrics": []object{
			{"metric": "tvlUsd", "reasonCode": "requires_balance_and_price_snapshots"},
			{"metric": "privateSwapVolume", "reasonCode": "volume_pricing_not_certified"},
			{"metric": "exactAnonymitySet", "reasonCode": "commitment_state_materializer_required"},
			{"metric": "privateActivity", "reasonCode": "private_activity_metrics_not_migrated"},
		},
	})
	if len(l.events) > 0 {
		body["latestEventBlock"] = l.events[len(l.events)-1].block.BlockNumber
	}
	return body
}
