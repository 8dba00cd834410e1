package token

import (
	"slices"

	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// The events that change control. For most only the newest one counts; roles
// follow from all grants and revocations.
var (
	ownershipTransferred    = starknet.Selector("OwnershipTransferred")
	upgraded                = starknet.Selector("Upgraded")
	implementationFinalized = starknet.Selector("ImplementationFinalized")
	paused                  = starknet.Selector("Paused")
	unpaused                = starknet.Selector("Unpaused")
	roleGranted             = starknet.Selector("RoleGranted")
	roleRevoked             = starknet.Selector("RoleRevoked")

	newestOf = []starknet.Felt{ownershipTransferred, upgraded, implementationFinalized, paused, unpaused}
	rolesOf  = []starknet.Felt{roleGranted, roleRevoked}

	evidenceKinds = map[starknet.Felt]string{
		ownershipTransferred: "ownership_transferred", upgraded: "upgraded", implementationFinalized: "implementation_finalized",
		paused: "paused", unpaused: "unpaused", roleGranted: "role_granted", roleRevoked: "role_revoked",
	}
)

// maxRoleEvents bounds the grants and the revocations that are looked at.
const maxRoleEvents = 1000

// capability is a kind of control: the functions of a class that grant it, and
// its roles.
type capability struct {
	functions []string
	roles     []starknet.Felt
}

var (
	supplyCapability = capability{
		[]string{"mint", "mint_to", "mintTo", "safe_mint", "safeMint", "batch_mint", "batchMint", "permissioned_mint", "permissionedMint",
			"permissioned_burn", "permissionedBurn", "burn_from", "burnFrom", "issue"},
		roleIDs("MINTER_ROLE", "BURNER_ROLE"),
	}
	transferCapability = capability{
		[]string{"pause", "unpause", "freeze", "unfreeze", "lock", "unlock", "blacklist", "unblacklist", "block_account", "unblock_account",
			"blockAccount", "unblockAccount", "set_transferable", "setTransferable"},
		roleIDs("PAUSER_ROLE", "FREEZER_ROLE", "BLACKLISTER_ROLE"),
	}
	metadataCapability = capability{
		[]string{"set_name", "setName", "set_symbol", "setSymbol", "set_decimals", "setDecimals", "set_uri", "setURI", "set_base_uri", "setBaseURI",
			"set_token_uri", "setTokenURI", "set_contract_uri", "setContractURI", "update_metadata", "updateMetadata"},
		roleIDs("METADATA_ROLE", "URI_SETTER_ROLE"),
	}
	upgradeCapability = capability{
		[]string{"upgrade", "upgrade_and_call", "upgrade_to", "upgradeTo", "replace_class", "replace_to", "add_new_implementation", "set_implementation"},
		roleIDs("UPGRADER_ROLE", "ROLE_UPGRADE_GOVERNOR", "UPGRADE_GOVERNOR"),
	}
)

func roleIDs(names ...string) (ids []starknet.Felt) {
	for _, name := range names {
		ids = append(ids, starknet.Selector(name))
	}
	return ids
}

// history is the control events of a token, newest first.
type history struct {
	newest, roles []event.Row
}

// controlsOf applies the rules to one token.
func controlsOf(contract *chain.Contract, code facts.Code, h history, status chain.Status) *Controls {
	c := &Controls{Token: contract.Address, Reason: ReasonControlsNoClass}
	known, _ := contract.Class()
	if known == nil || status.Head.Coverage == nil {
		return c
	}
	if code.Class == nil || code.Class.Schema() == nil {
		return c
	}
	j := judge{code: code, contract: contract, history: h, whole: contract.Deployment != nil}
	switch {
	case !j.whole:
		c.Reason = ReasonControlsPartial
	case j.truncated():
		c.Reason, j.whole = ReasonControlsTruncated, false
	default:
		c.Reason = ReasonControlsIndexed
	}
	c.Snapshot = &ControlSnapshot{
		Supply: j.control(supplyCapability), Transfer: j.control(transferCapability),
		Metadata: j.control(metadataCapability), Upgrade: j.upgrade(),
		Evidence: j.evidence(), Block: status.Head.Coverage.Last, At: status.AsOf,
	}
	return c
}

// judge decides on the controls of one token.
type judge struct {
	code     facts.Code
	contract *chain.Contract
	history
	whole bool // all events of the token were read
}

func (j *judge) truncated() bool {
	counts := map[starknet.Felt]int{}
	for i := range j.roles {
		counts[j.roles[i].Keys[0]]++
	}
	return counts[roleGranted] > maxRoleEvents || counts[roleRevoked] > maxRoleEvents
}

// upgrade decides on the control over the class itself. It is renounced when
// the implementation was finalized, or when the new class has no upgrade
// function.
func (j *judge) upgrade() Control {
	control := j.control(upgradeCapability)
	deployed := j.contract.Deployment
	replaced := deployed != nil && deployed.Hash != j.code.Class.Hash
	if control.Status == ControlAbsent && replaced || control.Status == ControlPresent && j.last(implementationFinalized) != nil {
		return Control{Status: ControlRenounced}
	}
	return control
}

// control decides on one kind of control.
func (j *judge) control(of capability) Control {
	switch {
	case j.delegates():
		return Control{Status: ControlUnknown}
	case !slices.ContainsFunc(j.functions(), func(f facts.FunctionSchema) bool { return !f.View && slices.Contains(of.functions, f.Name) }):
		return Control{Status: ControlAbsent}
	case j.hides(ownershipTransferred), j.hides(roleGranted):
		return Control{Status: ControlUnknown}
	case j.declares(roleGranted):
		if control, decided := j.byRoles(of); decided {
			return control
		}
	}
	return j.byOwner()
}

// delegates reports whether the class is a proxy of an unknown implementation.
func (j *judge) delegates() bool {
	return slices.ContainsFunc(j.code.Class.Functions, func(f facts.FunctionSchema) bool { return f.Name == "__default__" }) &&
		(j.code.Implementation == nil || j.code.Implementation.Schema() == nil)
}

// functions returns the functions of the class, and those that it passes on to
// its implementation.
func (j *judge) functions() []facts.FunctionSchema {
	if j.code.Implementation == nil {
		return j.code.Class.Functions
	}
	return slices.Concat(j.code.Class.Functions, j.code.Implementation.Functions)
}

// events returns the events of the class and of its implementation.
func (j *judge) events() []facts.EventSchema {
	if j.code.Implementation == nil {
		return j.code.Class.Events
	}
	return slices.Concat(j.code.Class.Events, j.code.Implementation.Events)
}

// declares reports whether the class emits the event under its own selector.
func (j *judge) declares(selector starknet.Felt) bool {
	return slices.ContainsFunc(j.events(), func(e facts.EventSchema) bool { return e.Selector == selector })
}

// hides reports whether the class emits the event under another first key,
// where it is not searched.
func (j *judge) hides(selector starknet.Felt) bool {
	return slices.ContainsFunc(j.events(), func(e facts.EventSchema) bool {
		return e.Selector != selector && starknet.Selector(e.Name) == selector
	})
}

// byRoles decides by the roles that accounts hold. It does not when all of them
// were given back and an owner may remain.
func (j *judge) byRoles(of capability) (control Control, decided bool) {
	holders, granted := j.holders()
	for _, role := range append(slices.Clone(of.roles), starknet.Felt{}) { // zero is the administrator's
		if len(holders[role]) == 1 {
			return Control{ControlPresent, &holders[role][0]}, true
		}
		if len(holders[role]) > 1 {
			return Control{Status: ControlPresent}, true
		}
	}
	switch {
	case len(holders) > 0 || !granted && j.whole:
		return Control{Status: ControlPresent}, true
	case !j.whole:
		return Control{Status: ControlUnknown}, true
	case j.declares(ownershipTransferred):
		return Control{}, false
	}
	return Control{Status: ControlRenounced}, true
}

// holders returns the current members of each role, and whether any role was
// ever granted.
func (j *judge) holders() (holders map[starknet.Felt][]starknet.Felt, granted bool) {
	holders = map[starknet.Felt][]starknet.Felt{}
	settled := map[[2]starknet.Felt]bool{}
	for i := range j.roles { // the newest word on a role and an account counts
		felts, ok := payload(&j.roles[i], 3)
		if !ok {
			continue
		}
		role, account := felts[0], felts[1]
		is := j.roles[i].Keys[0] == roleGranted
		granted = granted || is
		if key := [2]starknet.Felt{role, account}; !settled[key] {
			settled[key] = true
			if is {
				holders[role] = append(holders[role], account)
			}
		}
	}
	return holders, granted
}

// byOwner decides by the newest owner that the events name.
func (j *judge) byOwner() Control {
	if row := j.last(ownershipTransferred); row != nil && j.declares(ownershipTransferred) {
		felts, ok := payload(row, 2)
		switch {
		case !ok:
			return Control{Status: ControlUnknown}
		case felts[1].IsZero():
			return Control{Status: ControlRenounced}
		}
		return Control{ControlPresent, &felts[1]}
	}
	if !j.whole {
		return Control{Status: ControlUnknown}
	}
	return Control{Status: ControlPresent}
}

// last returns the newest event of a selector, nil when there is none.
func (j *judge) last(selector starknet.Felt) *event.Row {
	for _, rows := range [][]event.Row{j.newest, j.roles} {
		for i := range rows {
			if rows[i].Keys[0] == selector {
				return &rows[i]
			}
		}
	}
	return nil
}

// evidence lists the events found, the deployment first.
func (j *judge) evidence() []ControlEvidence {
	list := []ControlEvidence{}
	if deployed := j.contract.Deployment; deployed != nil && deployed.TxHash != nil {
		list = append(list, ControlEvidence{"deployed", deployed.Block.Number, *deployed.TxHash})
	}
	for _, selector := range append(slices.Clone(newestOf), rolesOf...) {
		if row := j.last(selector); row != nil {
			list = append(list, ControlEvidence{evidenceKinds[selector], row.Block, row.TxHash})
		}
	}
	return list
}

// payload returns the felts of an event after its first key, whether they are
// keys or data, if there are as many as expected.
func payload(row *event.Row, n int) ([]starknet.Felt, bool) {
	felts := append(row.Keys[1:len(row.Keys):len(row.Keys)], row.Data...)
	return felts, len(felts) == n
}
