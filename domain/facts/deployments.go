package facts

import (
	"slices"

	"astrolabe/starknet"
)

// DeploymentsVersion is the version of Deployments.
const DeploymentsVersion = 1

// The universal deployers, old and new, and their deployment event. Its data
// are the address, the deployer, whether the address depends on the deployer,
// the class, the length-prefixed constructor calldata, and the salt.
var (
	universalDeployers = [2]starknet.Felt{
		starknet.MustFelt("0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf"),
		starknet.MustFelt("0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125"),
	}
	contractDeployed = starknet.Selector("ContractDeployed")
)

// Deployments returns the origin of the contracts that were deployed according
// to changes, which must be ordered by address.
//
// A successful DEPLOY or DEPLOY_ACCOUNT transaction is the best evidence; an
// account is its own deployer, and the deployer of a DEPLOY is unknown. Next
// comes a well-formed event of a universal deployer, which names the deployer.
// Evidence of contracts that are not in the state diff is ignored.
func Deployments(changes []ClassChange, txs []Transaction, events []Event) []Deployment {
	var list deployments
	for i := range changes {
		if c := &changes[i]; c.Origin == Deployed {
			list = append(list, Deployment{Address: c.Address, Class: c.Class, Evidence: FromStateDiff})
		}
	}
	if len(list) == 0 {
		return nil
	}
	for i := range events {
		if e := &events[i]; isDeployerEvent(e) {
			list.attribute(e.Data[0], FromDeployerEvent, &e.TxIndex, &e.Data[1])
		}
	}
	for i := range txs {
		switch tx := &txs[i]; tx.Type {
		case starknet.Deploy, starknet.DeployAccount:
			if !tx.Reverted && tx.Contract != nil {
				list.attribute(*tx.Contract, FromTransaction, &tx.Index, tx.Sender)
			}
		}
	}
	return list
}

// deployments are in the order of their addresses.
type deployments []Deployment

// attribute notes evidence for a contract. Of equal evidence the first counts.
func (list deployments) attribute(address starknet.Felt, evidence Evidence, tx *int, deployer *starknet.Felt) {
	i, found := slices.BinarySearchFunc(list, address, func(d Deployment, address starknet.Felt) int { return d.Address.Cmp(address) })
	if found && list[i].Evidence != evidence {
		list[i].Evidence, list[i].TxIndex, list[i].Deployer = evidence, tx, deployer
	}
}

func isDeployerEvent(e *Event) bool {
	const fixed = 6 // felts beside the calldata
	if len(e.Keys) != 1 || len(e.Data) < fixed || e.Keys[0] != contractDeployed {
		return false
	}
	n, ok := e.Data[4].Count(len(e.Data) - fixed)
	return ok && n == len(e.Data)-fixed && slices.Contains(universalDeployers[:], e.FromAddress)
}
