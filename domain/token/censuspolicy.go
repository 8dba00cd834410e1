package token

import (
	"slices"

	"astrolabe/domain/facts"
)

// CensusPolicy says whether a token qualifies for a census.
type CensusPolicy struct {
	Qualified bool
	Reason    string // the criterion that it does not meet; empty when it is qualified
	Block     uint64 // the block up to which its life was looked at
}

// Criterion is one requirement of the policy, and the reason code of tokens
// that do not meet it.
type Criterion struct {
	Reason      string
	Requirement string
	met         func(Life) bool
}

// ReasonClassUnknown is the reason of tokens of a class that is missing or whose
// ABI cannot be read. It may end without a new block.
const ReasonClassUnknown = "class_unknown"

// Criteria are the criteria of the policy, in order. They use indexed data
// only, so that all processes decide alike.
var Criteria = []Criterion{
	{"history_incomplete", "The contract must be indexed from its deployment on.", deployedHere},
	{ReasonClassUnknown, "Every class that the contract ever executed, as its own or as a proxy, must be known and have a readable ABI.", everyClass(readable)},
	{"not_erc20", "Every class that the contract ever executed must be an ERC-20 by its ABI.", everyClass(fungible)},
	{"transfer_layout_not_fixed", "The ABI of every class that the contract ever executed must fix the layout of the Transfer event.", everyClass(fixesLayout)},
	{"transfer_layout_changes", "All classes that the contract ever executed must have the same layout of the Transfer event, so that no event around an upgrade is misread.", oneLayout},
	{"untyped_transfers", "The contract must not have emitted an event that may be a transfer but cannot be typed.", func(life Life) bool { return !life.Untyped }},
	{"supply_not_declared", "The newest class must have a view total_supply or totalSupply without arguments and with one result.", declaresSupply},
}

// JudgeCensus holds a token's life up to a block against the criteria.
func JudgeCensus(life Life, block uint64) CensusPolicy {
	for _, criterion := range Criteria {
		if !criterion.met(life) {
			return CensusPolicy{Reason: criterion.Reason, Block: block}
		}
	}
	return CensusPolicy{Qualified: true, Block: block}
}

// requirement is that of a criterion by its reason.
func requirement(reason string) string {
	for _, criterion := range Criteria {
		if criterion.Reason == reason {
			return criterion.Requirement
		}
	}
	return "This criterion comes from another release of the service."
}

func deployedHere(life Life) bool {
	return len(life.History) > 0 && life.History[0].Origin == facts.Deployed
}

func everyClass(holds func(*facts.Class) bool) func(Life) bool {
	return func(life Life) bool {
		executed := life.executed()
		for _, class := range executed {
			if class == nil || !holds(class) {
				return false
			}
		}
		return len(executed) > 0
	}
}

func readable(class *facts.Class) bool { return class.Schema() != nil }

func fungible(class *facts.Class) bool { return class.Standard == facts.ERC20 }

func fixesLayout(class *facts.Class) bool {
	_, fixed := class.FungibleLayout()
	return fixed
}

func oneLayout(life Life) bool {
	first, _ := life.executed()[0].FungibleLayout()
	return everyClass(func(class *facts.Class) bool {
		layout, _ := class.FungibleLayout()
		return layout == first
	})(life)
}

func declaresSupply(life Life) bool {
	executed := life.executed()
	newest := executed[len(executed)-1]
	return slices.ContainsFunc(newest.Functions, func(f facts.FunctionSchema) bool {
		return slices.Contains(supplySelectors, f.Selector) && !f.L1Handler && len(f.Inputs) == 0 && len(f.Outputs) == 1
	})
}
