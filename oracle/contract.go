package oracle

import (
	"maps"
	"slices"

	"astrolabe/starknet"
)

// deployment is the deployment of a contract.
type deployment struct {
	block    *Block
	class    starknet.Felt
	tx       *tx            // nil if only the state diff shows it
	deployer *starknet.Felt // nil when unknown
}

// deployers are the universal deployer contracts, which emit an event for each
// deployment.
var deployers = felts([]string{
	"0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf",
	"0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125",
})

// deployment finds the deployment of a contract: by the transaction that
// deploys it, else by the first event of a deployer, else by the state diff
// alone; nil if it was not deployed in these blocks.
func (m *Model) deployment(contract starknet.Felt) *deployment {
	i := slices.IndexFunc(m.changes[contract], func(c change) bool { return c.deployed })
	if i < 0 {
		return nil
	}
	c := m.changes[contract][i]
	d := &deployment{block: c.block, class: c.class}
	for _, t := range m.txsOf(c.block) {
		kind := t.Transaction.Type
		if (kind == starknet.DeployAccount || kind == starknet.Deploy) && t.Receipt.ExecutionStatus == starknet.Succeeded && *t.to == contract {
			return &deployment{c.block, c.class, t, t.from}
		}
		for _, e := range t.Receipt.Events {
			if d.tx == nil && slices.Contains(deployers, e.FromAddress) && len(e.Keys) == 1 && e.Keys[0] == starknet.Selector("ContractDeployed") && e.Data[0] == contract {
				d.tx, d.deployer = t, &e.Data[1]
			}
		}
	}
	return d
}

func (m *Model) contract(r Request, address starknet.Felt, rest []string) Answer {
	if len(rest) == 0 {
		return m.contractBody(address)
	}
	switch rest[0] {
	case "events":
		return m.searchEvents(r, &address)
	case "messages":
		return m.listMessages(r, &address)
	case "read":
		return m.readContract(r, address)
	case "verification":
		return m.verification(address)
	}
	return m.bridgeSignals(r, address)
}

// deployedBy is who deployed a contract; null where that is unknown or the
// contract itself.
func deployedBy(d *deployment, contract starknet.Felt) any {
	if d.deployer != nil && *d.deployer == contract {
		return nil
	}
	return feltOrNull(d.deployer)
}

func (m *Model) contractBody(address starknet.Felt) Answer {
	current, deployed, kind := m.current(address), m.deployment(address), m.standardOf(address)
	acts := slices.ContainsFunc(m.txs, func(t *tx) bool {
		return t.from != nil && *t.from == address ||
			slices.ContainsFunc(t.Receipt.Events, func(e starknet.Event) bool { return e.FromAddress == address })
	})
	if current == nil && kind == "" && (!acts || address.IsZero()) {
		return notFound
	}
	body := object{
		"chainId": m.Chain, "address": address.String(), "source": "indexed_state", "classHash": nil, "currentClassHash": nil, "deploymentClassHash": nil,
		"classHashSource": "none", "classHashAsOfBlock": nil, "classHashAsOfBlockHash": nil, "classHashFinality": nil,
		"deployedAtBlock": nil, "deployedAtTx": nil, "createdOnIso": nil, "deployedByAddress": nil,
		"isAccount": nil, "isToken": nil, "tokenKind": nil, "alias": nil, "metadataCompleteness": "complete",
	}
	if current != nil {
		b := current.block
		body["classHash"], body["currentClassHash"], body["classHashSource"] = current.class.String(), current.class.String(), "state_update"
		body["classHashAsOfBlock"], body["classHashAsOfBlockHash"] = b.BlockNumber, b.BlockHash.String()
		body["classHashFinality"], body["isAccount"] = m.tier(b), m.isAccountAt(address)
		if m.finality(b) == "ACCEPTED_ON_L1" {
			body["classHashFinality"] = "l1_accepted"
		}
	}
	if deployed != nil {
		body["deploymentClassHash"], body["deployedAtBlock"] = deployed.class.String(), deployed.block.BlockNumber
		body["createdOnIso"], body["deployedByAddress"] = iso(deployed.block.Timestamp), deployedBy(deployed, address)
		if deployed.tx != nil {
			body["deployedAtTx"] = deployed.tx.Receipt.TransactionHash.String()
		}
	}
	if kind != "" {
		body["isToken"], body["tokenKind"] = true, kind
	}
	called, asked := m.called[address]
	switch {
	case called.Name != nil:
		body["alias"] = *called.Name
	case called.Symbol != nil:
		body["alias"] = *called.Symbol
	}
	if body["deployedAtTx"] == nil || body["isAccount"] == nil || kind != "" && !asked {
		body["metadataCompleteness"] = "partial"
	}
	if deployed == nil && m.first() > 0 {
		body["metadataCompleteness"] = "unknown_before_index_start"
	}
	return found(body)
}

// verification is the newest record of the current class of a contract.
func (m *Model) verification(address starknet.Felt) Answer {
	current := m.current(address)
	if current == nil || m.Verified[current.class] == nil {
		return notFound
	}
	body := maps.Clone(m.Verified[current.class])
	body["chainId"], body["address"], body["classHash"], body["verification"] = m.Chain, address.String(), current.class.String(), "verified_exact"
	return found(body)
}
