package privacy

import (
	"context"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// feeRow is a row of feeEvidenceOf.
type feeRow struct {
	Block            model.BlockNumber `bun:"block"`
	Tx               model.Index       `bun:"tx"`
	Log              model.Index       `bun:"log"`
	Idx              model.Index       `bun:"idx"`
	Receiver         starknet.Felt     `bun:"receiver"`
	Amount           starknet.Uint256  `bun:"amount"`
	Pool             starknet.Felt     `bun:"pool"`
	EventLog         model.Index       `bun:"event_log"`
	CollectorBlock   model.BlockNumber `bun:"collector_block"`
	CollectorTx      model.Index       `bun:"collector_tx"`
	CollectorLog     model.Index       `bun:"collector_log"`
	CollectorReading model.PoolReading `bun:"collector_reading"`
	Collector        *starknet.Felt    `bun:"collector"`
	FeeBlock         model.BlockNumber `bun:"fee_block"`
	FeeTx            model.Index       `bun:"fee_tx"`
	FeeLog           model.Index       `bun:"fee_log"`
	FeeReading       model.PoolReading `bun:"fee_reading"`
	Fee              *starknet.Uint256 `bun:"fee"`
}

// feeEvidenceOf finds the ERC-20 transfers of a token ($3) in transactions by
// transfers_…_place, and for each transfer and each pool the next event of the
// pool in the transaction by the primary key of privacy_events, and the newest
// settings of the collector (12) and of the amount (11) before the transfer by
// privacy_events_variant. A pool without one of these is left out.
const feeEvidenceOf = `/* privacy.fee_evidence */
	SELECT t.block, t.tx, t.log, t.idx, t.amount,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.receiver) AS receiver,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = q.address) AS pool,
		e.log AS event_log,
		c.block AS collector_block, c.tx AS collector_tx, c.log AS collector_log, c.reading AS collector_reading,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = c.party) AS collector,
		f.block AS fee_block, f.tx AS fee_tx, f.log AS fee_log, f.reading AS fee_reading, f.amount AS fee
	FROM unnest($1::integer[], $2::smallint[]) AS p (block, tx)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = $3 LIMIT 1) s
	CROSS JOIN LATERAL (
		SELECT block, tx, log, idx, receiver, amount FROM transfers
		WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND token = s.id AND standard = 1 AND amount IS NOT NULL
		ORDER BY log, idx
	) t
	CROSS JOIN LATERAL (SELECT address FROM privacy_pools WHERE chain = %[1]d OFFSET 0) q
	CROSS JOIN LATERAL (
		SELECT log FROM privacy_events
		WHERE chain = %[1]d AND block = t.block AND tx = t.tx AND log > t.log AND pool = q.address
		ORDER BY log LIMIT 1
	) e
	CROSS JOIN LATERAL (
		SELECT block, tx, log, reading, party FROM privacy_events
		WHERE chain = %[1]d AND variant = 12 AND (block, tx, log) < (t.block, t.tx, t.log) AND pool = q.address
		ORDER BY block DESC, tx DESC, log DESC LIMIT 1
	) c
	CROSS JOIN LATERAL (
		SELECT block, tx, log, reading, amount FROM privacy_events
		WHERE chain = %[1]d AND variant = 11 AND (block, tx, log) < (t.block, t.tx, t.log) AND pool = q.address
		ORDER BY block DESC, tx DESC, log DESC LIMIT 1
	) f`

// feeEvidence reads what proves the fees of the transactions of events.
func feeEvidence(ctx context.Context, tx bun.Tx, c domain.Chain, events []privacy.Event) (privacy.FeeEvidence, error) {
	var (
		evidence privacy.FeeEvidence
		blocks   []int32
		txs      []int16
	)
	for i := range events { // those of one transaction are adjacent
		if i == 0 || events[i].Block != events[i-1].Block || events[i].Tx != events[i-1].Tx {
			blocks, txs = append(blocks, int32(events[i].Block)), append(txs, int16(events[i].Tx))
		}
	}
	if len(blocks) == 0 {
		return evidence, nil
	}
	rows, err := repo.Select[feeRow](ctx, tx, repo.Text(feeEvidenceOf, model.Code(c)), blocks, txs, privacy.STRK[:])
	for i := range rows {
		rows[i].addTo(&evidence)
	}
	return evidence, err
}

// addTo adds the row to evidence. Rows of several pools have the same transfer,
// which counts once.
func (r *feeRow) addTo(evidence *privacy.FeeEvidence) {
	evidence.Transfers = append(evidence.Transfers, privacy.FeeTransfer{
		At: placeOf(r.Block, r.Tx, r.Log), Index: int(r.Idx), Token: privacy.STRK, To: r.Receiver, Amount: r.Amount,
	})
	evidence.Events = append(evidence.Events, privacy.PoolPlace{Pool: r.Pool, At: placeOf(r.Block, r.Tx, r.EventLog)})
	collector := privacy.FeeSetting{Pool: r.Pool, At: placeOf(r.CollectorBlock, r.CollectorTx, r.CollectorLog), Variant: facts.FeeCollectorSet}
	if r.CollectorReading == model.PoolReading(facts.PoolRead) {
		collector.Collector = r.Collector
	}
	amount := privacy.FeeSetting{Pool: r.Pool, At: placeOf(r.FeeBlock, r.FeeTx, r.FeeLog), Variant: facts.FeeAmountSet}
	if r.FeeReading == model.PoolReading(facts.PoolRead) {
		amount.Amount = r.Fee
	}
	evidence.Settings = append(evidence.Settings, collector, amount)
}

func placeOf(block model.BlockNumber, tx, log model.Index) privacy.Place {
	return privacy.Place{Block: uint64(block), Tx: int(tx), Log: int(log)}
}
