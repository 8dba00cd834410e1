package facts

import (
	"testing"

	"astrolabe/starknet"
)

// deployerEvent is what a universal deployer says of a deployment.
func deployerEvent(deployer starknet.Felt, tx int, data ...any) Event {
	return Event{TxIndex: tx, Event: starknet.Event{FromAddress: deployer, Keys: felts("ContractDeployed"), Data: felts(data...)}}
}

func TestDeploymentsNameTheBestEvidence(t *testing.T) {
	t.Parallel()
	const contract, deployer, class = 50, 60, 70
	udc := universalDeployers[0]
	stateDiff := Deployment{Address: felt(contract), Class: felt(class), Evidence: FromStateDiff}
	byEvent := stateDiff
	byEvent.Evidence, byEvent.TxIndex, byEvent.Deployer = FromDeployerEvent, pointer(4), pointer(felt(deployer))
	byDeploy := stateDiff
	byDeploy.Evidence, byDeploy.TxIndex = FromTransaction, pointer(2)
	byAccount := byDeploy
	byAccount.Deployer = pointer(felt(contract))
	deploy := Transaction{Index: 2, Type: starknet.Deploy, Contract: pointer(felt(contract))}
	account := Transaction{Index: 2, Type: starknet.DeployAccount, Contract: pointer(felt(contract)), Sender: pointer(felt(contract))}
	reverted := account
	reverted.Reverted = true
	elsewhere := deploy
	elsewhere.Contract = pointer(felt(51))
	for name, test := range map[string]struct {
		txs    []Transaction
		events []Event
		want   Deployment
	}{
		"nobody says":            {nil, nil, stateDiff},
		"deploy":                 {[]Transaction{deploy}, nil, byDeploy},
		"deploy account":         {[]Transaction{account}, nil, byAccount},
		"reverted":               {[]Transaction{reverted}, nil, stateDiff},
		"another contract":       {[]Transaction{elsewhere}, nil, stateDiff},
		"old deployer":           {nil, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 2, 8, 9, 77)}, byEvent},
		"new deployer":           {nil, []Event{deployerEvent(universalDeployers[1], 4, contract, deployer, 1, class, 0, 77)}, byEvent},
		"event and transaction":  {[]Transaction{account}, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 0, 77)}, byAccount},
		"first of two events":    {nil, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 0, 77), deployerEvent(udc, 5, contract, 61, 0, class, 0, 77)}, byEvent},
		"another emitter":        {nil, []Event{deployerEvent(felt(1), 4, contract, deployer, 0, class, 0, 77)}, stateDiff},
		"event of another":       {nil, []Event{deployerEvent(udc, 4, 51, deployer, 0, class, 0, 77)}, stateDiff},
		"too short":              {nil, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 0)}, stateDiff},
		"too long":               {nil, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 0, 77, 78)}, stateDiff},
		"absurd calldata length": {nil, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, "absurd", 77)}, stateDiff},
	} {
		changes := []ClassChange{
			{felt(40), Observed, felt(class)}, {felt(contract), Deployed, felt(class)}, {felt(51), Replaced, felt(class)},
		}
		if got := Deployments(changes, test.txs, test.events); show(got) != show([]Deployment{test.want}) {
			t.Errorf("%s: got %s, want %s", name, show(got), show(test.want))
		}
	}
	if got := Deployments(nil, []Transaction{deploy}, []Event{deployerEvent(udc, 4, contract, deployer, 0, class, 0, 77)}); got != nil {
		t.Errorf("no change: got %v, want no deployments", got)
	}
}
