package oracle

import (
	"slices"
	"strings"

	"astrolabe/starknet"
	"astrolabe/starknet/abi"
)

// power is a kind of control over a token: its entry points and its roles.
type power struct{ functions, roles []string }

var powers = map[string]power{
	"supplyControl": {strings.Fields(`mint mint_to mintTo safe_mint safeMint batch_mint batchMint permissioned_mint permissionedMint
		permissioned_burn permissionedBurn burn_from burnFrom issue`), []string{"MINTER_ROLE", "BURNER_ROLE"}},
	"transferControl": {strings.Fields(`pause unpause freeze unfreeze lock unlock blacklist unblacklist block_account unblock_account
		blockAccount unblockAccount set_transferable setTransferable`), []string{"PAUSER_ROLE", "FREEZER_ROLE", "BLACKLISTER_ROLE"}},
	"metadataAdmin": {strings.Fields(`set_name setName set_symbol setSymbol set_decimals setDecimals set_uri setURI set_base_uri setBaseURI
		set_token_uri setTokenURI set_contract_uri setContractURI update_metadata updateMetadata`), []string{"METADATA_ROLE", "URI_SETTER_ROLE"}},
	"upgradeControl": {strings.Fields(`upgrade upgrade_and_call upgrade_to upgradeTo replace_class replace_to add_new_implementation set_implementation`),
		[]string{"UPGRADER_ROLE", "ROLE_UPGRADE_GOVERNOR", "UPGRADE_GOVERNOR"}},
}

// controlEvents are the events about control, in the order of the evidence.
var controlEvents = []string{"OwnershipTransferred", "Upgraded", "ImplementationFinalized", "Paused", "Unpaused", "RoleGranted", "RoleRevoked"}

// controls returns the controls of a token, by the class in force and the
// events of the token.
func (m *Model) controls(token starknet.Felt) Answer {
	if m.standardOf(token) == "" {
		return notFound
	}
	body := object{"chainId": m.Chain, "tokenAddress": token.String(), "indexed": false, "reasonCode": "class_unavailable", "snapshot": nil}
	c := m.current(token)
	if c == nil || m.Classes[c.class] == nil {
		return found(body)
	}
	d := m.deployment(token)
	body["indexed"], body["reasonCode"] = true, "indexed"
	if d == nil {
		body["reasonCode"] = "partial_history"
	}
	snapshot, evidence := object{"asOfBlock": m.head().BlockNumber}, []object{}
	show := func(kind string, t *tx) {
		evidence = append(evidence, object{"kind": kind, "blockNumber": t.block.BlockNumber, "txHash": t.Receipt.TransactionHash.String()})
	}
	if d != nil && d.tx != nil {
		show("deployed", d.tx)
	}
	for _, name := range controlEvents {
		if rows := m.emitted(token, name); len(rows) > 0 {
			show(snake(name), rows[0].tx)
		}
	}
	snapshot["evidence"] = evidence
	for name, p := range powers {
		status, actor := m.control(token, m.codes(token, m.head())[0], p)
		if name == "upgradeControl" && (status == "absent" && d != nil && d.class != c.class || status == "present" && len(m.emitted(token, "ImplementationFinalized")) > 0) {
			status, actor = "renounced", nil // the contract can no longer be upgraded
		}
		snapshot[name] = object{"status": status, "actor": feltOrNull(actor)}
	}
	body["snapshot"] = snapshot
	return found(body)
}

func snake(name string) (text string) {
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			text += "_"
		}
		text += strings.ToLower(string(r))
	}
	return text
}

// emitted lists the events of a contract by their first key, newest first.
func (m *Model) emitted(contract starknet.Felt, name string) []emission {
	return m.events(eventFilter{addresses: []starknet.Felt{contract}, topics: [16][]starknet.Felt{{starknet.Selector(name)}}})
}

// payload returns the felts of an event after its first key.
func (at emission) payload() []starknet.Felt {
	e := &at.Receipt.Events[at.log]
	return append(slices.Clone(e.Keys[1:]), e.Data...)
}

// control evaluates one kind of control; the first matching rule applies.
func (m *Model) control(token starknet.Felt, executes code, p power) (status string, actor *starknet.Felt) {
	isThere := slices.ContainsFunc(p.functions, func(name string) bool {
		return m.anyOf(executes, func(class *abi.Schema) bool {
			f := class.Function(starknet.Selector(name))
			return f != nil && !f.View
		})
	})
	declared := func(name string) bool {
		return m.anyOf(executes, func(class *abi.Schema) bool { return declares(class, name) })
	}
	hidden := func(name string) bool {
		return m.anyOf(executes, func(class *abi.Schema) bool { return hides(class, name) })
	}
	switch {
	case len(executes) == 1 && m.delegates(executes[0]):
		return "unknown", nil
	case !isThere:
		return "absent", nil
	case hidden("OwnershipTransferred"), hidden("RoleGranted"):
		return "unknown", nil
	}
	whole := m.deployment(token) != nil
	if declared("RoleGranted") {
		holders, granted := m.roleHolders(token)
		for _, role := range append(selectors(p.roles), starknet.Felt{}) { // zero is the administrator's
			switch len(holders[role]) {
			case 0:
				continue
			case 1:
				return "present", &holders[role][0]
			}
			return "present", nil
		}
		switch {
		case len(holders) > 0 || whole && !granted:
			return "present", nil
		case !whole:
			return "unknown", nil
		case !declared("OwnershipTransferred"):
			return "renounced", nil
		}
	}
	if owners := m.emitted(token, "OwnershipTransferred"); len(owners) > 0 && declared("OwnershipTransferred") {
		said := owners[0].payload()
		switch {
		case len(said) != 2:
			return "unknown", nil
		case said[1].IsZero():
			return "renounced", nil
		}
		return "present", &said[1]
	}
	if !whole {
		return "unknown", nil
	}
	return "present", nil
}

func selectors(names []string) (list []starknet.Felt) {
	for _, name := range names {
		list = append(list, starknet.Selector(name))
	}
	return list
}

// anyOf reports whether a known class of a code satisfies a condition.
func (m *Model) anyOf(executes code, holds func(*abi.Schema) bool) bool {
	return slices.ContainsFunc(executes, func(class starknet.Felt) bool { return m.Classes[class] != nil && holds(m.Classes[class]) })
}

// declares reports whether a class has an event with its own name as first key;
// an event nested in another does not count.
func declares(class *abi.Schema, name string) bool {
	return slices.ContainsFunc(class.Events(), func(l *abi.EventLayout) bool { return l.Selectors[0] == starknet.Selector(name) })
}

func hides(class *abi.Schema, name string) bool {
	return slices.ContainsFunc(class.Events(), func(l *abi.EventLayout) bool {
		return l.Name == name && l.Selectors[0] != starknet.Selector(name)
	})
}

// roleHolders returns the current holders of each role, and whether any role
// was ever granted.
func (m *Model) roleHolders(token starknet.Felt) (holders map[starknet.Felt][]starknet.Felt, granted bool) {
	holders = map[starknet.Felt][]starknet.Felt{}
	for _, at := range newestFirst(m.events(eventFilter{addresses: []starknet.Felt{token}, topics: [16][]starknet.Felt{selectors([]string{"RoleGranted", "RoleRevoked"})}})) {
		said := at.payload() // role, account, sender
		if len(said) != 3 {
			continue
		}
		role, account := said[0], said[1]
		holders[role] = slices.DeleteFunc(holders[role], func(f starknet.Felt) bool { return f == account })
		if at.Receipt.Events[at.log].Keys[0] == starknet.Selector("RoleGranted") {
			granted, holders[role] = true, append(holders[role], account)
		}
		if len(holders[role]) == 0 {
			delete(holders, role)
		}
	}
	return holders, granted
}
