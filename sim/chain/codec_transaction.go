package chain

import "astrolabe/starknet"

// transaction writes every field of any type: an unset field takes a byte.
func (p *packer) transaction(t *starknet.Transaction) {
	p.text(string(t.Type))
	p.number(t.Version.Number)
	for _, f := range []starknet.Felt{
		t.Hash, t.SenderAddress, t.ContractAddress, t.EntryPointSelector, t.Nonce, t.MaxFee, t.ClassHash, t.CompiledClassHash, t.ContractAddressSalt,
	} {
		p.felt(f)
	}
	for _, list := range [][]starknet.Felt{t.Calldata, t.Signature, t.ConstructorCalldata, t.PaymasterData, t.AccountDeploymentData, t.ProofFacts} {
		p.felts(list)
	}
	p.number(uint64(t.Tip))
	p.number(uint64(t.NonceDataAvailabilityMode))
	p.number(uint64(t.FeeDataAvailabilityMode))
	for _, bound := range []starknet.ResourceBound{t.ResourceBounds.L1Gas, t.ResourceBounds.L1DataGas, t.ResourceBounds.L2Gas} {
		p.number(uint64(bound.MaxAmount))
		p.felt(bound.MaxPricePerUnit.Felt())
	}
}

func (u *unpacker) transaction() (t starknet.Transaction) {
	t.Type = starknet.TransactionType(u.text())
	t.Version.Number = u.number()
	for _, f := range []*starknet.Felt{
		&t.Hash, &t.SenderAddress, &t.ContractAddress, &t.EntryPointSelector, &t.Nonce, &t.MaxFee, &t.ClassHash, &t.CompiledClassHash, &t.ContractAddressSalt,
	} {
		*f = u.felt()
	}
	for _, list := range []*[]starknet.Felt{&t.Calldata, &t.Signature, &t.ConstructorCalldata, &t.PaymasterData, &t.AccountDeploymentData, &t.ProofFacts} {
		*list = u.felts()
	}
	t.Tip = starknet.HexUint64(u.number())
	t.NonceDataAvailabilityMode = starknet.DataAvailability(u.number())
	t.FeeDataAvailabilityMode = starknet.DataAvailability(u.number())
	for _, bound := range []*starknet.ResourceBound{&t.ResourceBounds.L1Gas, &t.ResourceBounds.L1DataGas, &t.ResourceBounds.L2Gas} {
		bound.MaxAmount = starknet.HexUint64(u.number())
		price, err := starknet.Uint128FromFelt(u.felt())
		if err != nil {
			u.fail("price")
		}
		bound.MaxPricePerUnit = price
	}
	return t
}

func (p *packer) receipt(r *starknet.Receipt) {
	p.text(string(r.Type))
	p.felt(r.TransactionHash)
	p.felt(r.ActualFee.Amount)
	p.text(string(r.ActualFee.Unit))
	p.text(string(r.ExecutionStatus))
	p.text(r.RevertReason)
	p.number(r.ExecutionResources.L1Gas)
	p.number(r.ExecutionResources.L1DataGas)
	p.number(r.ExecutionResources.L2Gas)
	packList(p, r.MessagesSent, func(p *packer, m *starknet.MessageToL1) {
		p.felt(m.FromAddress)
		p.felt(m.ToAddress)
		p.felts(m.Payload)
	})
	packList(p, r.Events, func(p *packer, e *starknet.Event) { p.felt(e.FromAddress); p.felts(e.Keys); p.felts(e.Data) })
	p.text(optionalBytes(r.ContractAddress))
	p.text(optionalBytes(r.MessageHash))
}

// optionalBytes returns the 32 bytes of a value, or nothing for nil.
func optionalBytes[T ~[32]byte](v *T) string {
	if v == nil {
		return ""
	}
	b := [32]byte(*v)
	return string(b[:])
}

func optionalValue[T ~[32]byte](u *unpacker) *T {
	text := u.text()
	if len(text) != 32 {
		return nil
	}
	v := T([]byte(text))
	return &v
}

func (u *unpacker) receipt() starknet.Receipt {
	r := starknet.Receipt{Type: starknet.TransactionType(u.text()), TransactionHash: u.felt(), FinalityStatus: starknet.AcceptedOnL2}
	r.ActualFee = starknet.FeePayment{Amount: u.felt(), Unit: starknet.FeeUnit(u.text())}
	r.ExecutionStatus, r.RevertReason = starknet.ExecutionStatus(u.text()), u.text()
	r.ExecutionResources = starknet.ExecutionResources{L1Gas: u.number(), L1DataGas: u.number(), L2Gas: u.number()}
	r.MessagesSent = readList(u, func(u *unpacker) starknet.MessageToL1 {
		return starknet.MessageToL1{FromAddress: u.felt(), ToAddress: u.felt(), Payload: u.felts()}
	})
	r.Events = readList(u, func(u *unpacker) starknet.Event {
		return starknet.Event{FromAddress: u.felt(), Keys: u.felts(), Data: u.felts()}
	})
	r.ContractAddress = optionalValue[starknet.Felt](u)
	r.MessageHash = optionalValue[starknet.Hash256](u)
	return r
}
