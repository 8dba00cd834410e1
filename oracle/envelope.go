package oracle

import (
	"encoding/json"

	"astrolabe/starknet"
)

// renamed maps members of a response to those of the node's transaction object,
// which has exactly the members of the transaction's type and version.
var renamed = struct{ lists, values, amounts map[string]string }{
	lists: map[string]string{
		"signature": "signature", "paymasterData": "paymaster_data", "accountDeploymentData": "account_deployment_data",
		"constructorCalldata": "constructor_calldata",
	},
	values: map[string]string{
		"nonceDataAvailabilityMode": "nonce_data_availability_mode", "feeDataAvailabilityMode": "fee_data_availability_mode",
		"entryPointSelector": "entry_point_selector", "classHash": "class_hash", "compiledClassHash": "compiled_class_hash",
		"contractAddressSalt": "contract_address_salt",
	},
	amounts: map[string]string{"maxFeeRaw": "max_fee", "tipRaw": "tip"},
}

// envelope adds the members with which a sender authorises a transaction and
// limits its fee, and those of deployments and declarations.
func (t *tx) envelope(body object) {
	text, err := t.Transaction.AppendJSON(nil)
	var sent map[string]any
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err != nil {
		panic(err) // the block was read from such an object
	}
	for ours, theirs := range renamed.lists {
		if body[ours] = sent[theirs]; body[ours] == nil {
			body[ours] = []object{}
		}
	}
	for ours, theirs := range renamed.values {
		body[ours] = sent[theirs]
	}
	for ours, theirs := range renamed.amounts {
		body[ours] = amount(sent[theirs])
	}
	body["contractAddress"] = nil
	if _, deploys := sent["contract_address_salt"]; deploys {
		body["contractAddress"] = t.to.String()
	}
	body["resourceBounds"] = nil
	if bounds, ok := sent["resource_bounds"].(map[string]any); ok {
		body["resourceBounds"] = boundsBody(bounds)
	}
}

// boundsBody leaves out a bound of L1 data gas that was not signed: with no bound
// of L2 gas beside it, its zeros are the node's.
func boundsBody(bounds map[string]any) object {
	body := object{}
	for ours, theirs := range map[string]string{"l1Gas": "l1_gas", "l1DataGas": "l1_data_gas", "l2Gas": "l2_gas"} {
		bound := bounds[theirs].(map[string]any)
		body[ours] = object{"maxAmountRaw": amount(bound["max_amount"]), "maxPricePerUnitRaw": amount(bound["max_price_per_unit"])}
	}
	if none := (object{"maxAmountRaw": "0", "maxPricePerUnitRaw": "0"}); same(body["l1DataGas"], none) && same(body["l2Gas"], none) {
		body["l1DataGas"] = nil
	}
	return body
}

// amount writes a number of the node in base 10; absent stays absent.
func amount(hex any) any {
	if hex == nil {
		return nil
	}
	return starknet.MustFelt(hex.(string)).Big().String()
}
