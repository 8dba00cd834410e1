package rest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/pg/pgtest"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/onchain"
	"astrolabe/repo/repotest"
	"astrolabe/repo/tokens"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// newExplorerBeside starts a service over a template's database, with a
// connection beside it.
func newExplorerBeside(t *testing.T, template pgtest.Template) (*service, *pgx.Conn) {
	t.Helper()
	url := pgtest.Database(t, template)
	db, err := repo.Open(t.Context(), repo.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return newServiceOver(t, db, time.Now, nil), conn
}

// read reads one answer.
func read[T any](s *service, path string) (body T) {
	s.t.Helper()
	a := s.get(path)
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != 200 {
		s.t.Fatalf("%s: got %d %s (%v), want 200 and a %T", path, a.StatusCode, a.body, err, body)
	}
	return body
}

// everyContract tells what blocks say of contracts, by address. L1 has accepted
// up to one block, up to another they are final; the index begins with the
// first of them.
func everyContract(blocks []facts.Block, l1, finalized uint64) map[starknet.Felt]contractBody {
	contracts := map[starknet.Felt]contractBody{}
	accounts := map[starknet.Felt]*bool{}
	for _, block := range blocks {
		for _, class := range block.Classes {
			if class.ABI != nil {
				accounts[class.Hash] = &class.Account
			}
		}
	}
	at := func(address starknet.Felt) contractBody {
		body, known := contracts[address]
		if !known {
			body = contractBody{ChainID: domain.Mainnet, Address: address, ClassHashSource: "none", Source: "indexed_state"}
		}
		return body
	}
	for _, block := range blocks {
		header, finality := block.Header, chain.ClassAtHead
		if header.Number <= finalized {
			finality = chain.ClassFinalized
		}
		if header.Number <= l1 {
			finality = chain.ClassAcceptedOnL1
		}
		for _, event := range block.Events {
			contracts[event.FromAddress] = at(event.FromAddress)
		}
		for _, tx := range block.Transactions {
			if tx.Sender != nil {
				contracts[*tx.Sender] = at(*tx.Sender)
			}
		}
		for _, change := range block.Changes {
			body := at(change.Address)
			body.ClassHash, body.CurrentClassHash, body.IsAccount = &change.Class, &change.Class, accounts[change.Class]
			body.ClassHashSource, body.ClassHashFinality = "state_update", &finality
			body.ClassHashAsOfBlock, body.ClassHashAsOfBlockHash = &header.Number, &header.Hash
			contracts[change.Address] = body
		}
		for _, deployed := range block.Deployments {
			body := at(deployed.Address)
			body.DeploymentClassHash, body.DeployedAtBlock, body.DeployedByAddress = &deployed.Class, &header.Number, otherThan(deployed.Deployer, deployed.Address)
			body.CreatedOnIso = new(time.Unix(int64(header.Timestamp), 0).UTC())
			if deployed.TxIndex != nil {
				body.DeployedAtTx = &block.Transactions[*deployed.TxIndex].Hash
			}
			contracts[deployed.Address] = body
		}
		for _, shown := range block.Tokens {
			if body := at(shown.Address); body.IsToken == nil {
				body.IsToken, body.TokenKind = new(true), &shown.Standard
				contracts[shown.Address] = body
			}
		}
	}
	for address, body := range contracts {
		body.MetadataCompleteness = "partial"
		switch {
		case body.DeployedAtBlock == nil && blocks[0].Header.Number > 0:
			body.MetadataCompleteness = "unknown_before_index_start"
		case body.DeployedAtTx != nil && body.IsToken == nil:
			body.MetadataCompleteness = "complete"
		}
		contracts[address] = body
	}
	return contracts
}

func requireContracts(t *testing.T, s *service, want map[starknet.Felt]contractBody) {
	t.Helper()
	for address, body := range want {
		got := read[contractBody](s, "/v1/SN_MAIN/contract/"+address.String())
		if difference := cmp.Diff(body, got); difference != "" {
			t.Errorf("%s (-want +got):\n%s", address, difference)
		}
	}
}

func TestContractMatchesTheChain(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	want := everyContract(repotest.Everyday(t), repotest.FollowedL1, repotest.FollowedFinalized)
	requireContracts(t, s, want)
	replaced := 0
	for _, body := range want {
		if body.CurrentClassHash != nil && body.DeploymentClassHash != nil && *body.CurrentClassHash != *body.DeploymentClassHash {
			replaced++
		}
	}
	if replaced == 0 {
		t.Error("got no contract with a replaced class, want some")
	}
}

// TestContractShowsOnlyVisibleBlocks has blocks that are stored but not
// ready: one of them replaces the pool's class, another deploys a contract.
func TestContractShowsOnlyVisibleBlocks(t *testing.T) {
	t.Parallel()
	s := newServiceOver(t, repotest.OpenTemplate(t, repotest.Indexed), time.Now, nil)
	blocks := repotest.Everyday(t)
	shown := everyContract(blocks[:45], 0, 0)
	for address, body := range shown {
		body.ClassHashFinality = nil // this index recorded no head
		got := read[contractBody](s, "/v1/SN_MAIN/contract/"+address.String())
		got.ClassHashFinality = nil
		if difference := cmp.Diff(body, got); difference != "" {
			t.Errorf("%s (-want +got):\n%s", address, difference)
		}
	}
	hidden := 0
	for address := range everyContract(blocks, 0, 0) {
		if _, visible := shown[address]; !visible {
			hidden++
			requireFailure(t, s.get("/v1/SN_MAIN/contract/"+address.String()), 404, domain.CodeNotFound)
		}
	}
	if hidden == 0 {
		t.Error("got no hidden contract, want some")
	}
}

func TestACreationDateNeedsExplicitEvidence(t *testing.T) {
	t.Parallel()
	s := newServiceOver(t, repotest.OpenTemplate(t, repotest.Begun), time.Now, nil)
	want := everyContract(repotest.Partial(t), repotest.FollowedL1, repotest.FollowedFinalized)
	requireContracts(t, s, want)
	active := 0
	for _, body := range want {
		if body.DeployedAtBlock == nil {
			active++
			if body.CreatedOnIso != nil {
				t.Errorf("%s: got the creation date %s, want none", body.Address, body.CreatedOnIso)
			}
		}
	}
	if active == 0 {
		t.Error("got no contract older than the index, want some")
	}
}

func TestTokenFieldsAreAllPresentOrAllAbsent(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	last := repotest.Everyday(t)[59].Header
	name := "Astrolabe"
	strk := starknet.MustFelt("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d")
	if _, err := tokens.NewTokens(s.db).StoreMetadata(t.Context(), domain.Mainnet, token.Reading{
		Block: domain.BlockRef{Number: last.Number, Hash: last.Hash}, At: time.Now(), Next: time.Now(),
		Tokens: []token.Description{{Token: strk, Metadata: token.Metadata{Name: &name}}},
	}); err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for address := range everyContract(repotest.Everyday(t), 0, 0) {
		body := read[contractBody](s, "/v1/SN_MAIN/contract/"+address.String())
		if (body.IsToken == nil) != (body.TokenKind == nil) || body.IsToken == nil && body.Alias != nil {
			t.Errorf("%s: got %s, want all fields of a token or none", address, encodeText(body))
		}
		if body.IsToken != nil {
			tokens++
		}
		if described := address == strk; described != (body.Alias != nil) {
			t.Errorf("%s: got %s, want an alias: %v", address, encodeText(body), described)
		}
	}
	if tokens == 0 {
		t.Error("got no token, want some")
	}
}

// TestAClassFallsBackToTheOneOfTheDeployment takes the class history away.
func TestAClassFallsBackToTheOneOfTheDeployment(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	if _, err := conn.Exec(t.Context(), "DELETE FROM contract_classes"); err != nil {
		t.Fatal(err)
	}
	for _, want := range everyContract(repotest.Everyday(t), repotest.FollowedL1, repotest.FollowedFinalized) {
		if want.DeploymentClassHash == nil {
			continue
		}
		got := read[contractBody](s, "/v1/SN_MAIN/contract/"+want.Address.String())
		if got.ClassHashSource != chain.ClassFromDeployment || *got.ClassHash != *want.DeploymentClassHash || got.CurrentClassHash != nil ||
			*got.ClassHashAsOfBlock != *want.DeployedAtBlock || got.ClassHashAsOfBlockHash == nil || got.ClassHashFinality == nil {
			t.Errorf("got %s, want the class %s of the deployment", encodeText(got), want.DeploymentClassHash)
		}
	}
}

// TestAClassWithoutItsABILeavesTheKindUnknown takes the ABIs away.
func TestAClassWithoutItsABILeavesTheKindUnknown(t *testing.T) {
	t.Parallel()
	s, conn := newExplorerBeside(t, repotest.Followed)
	if _, err := conn.Exec(t.Context(), "UPDATE classes SET abi = NULL, missing = true"); err != nil {
		t.Fatal(err)
	}
	got := read[contractBody](s, "/v1/SN_MAIN/contract/"+frame.ContractParam.Example)
	if got.IsAccount != nil || got.MetadataCompleteness != chain.MetadataPartial || got.ClassHash == nil {
		t.Errorf("got %s, want a class with partial metadata and isAccount null", encodeText(got))
	}
}

func TestAddressWithoutAContractIsNotFound(t *testing.T) {
	t.Parallel()
	s := newExplorer(t)
	contracts := everyContract(repotest.Everyday(t), 0, 0)
	strangers := map[starknet.Felt]bool{starknet.MustFelt("0x123456789"): true, {}: true}
	for _, block := range repotest.Everyday(t) {
		for _, transfer := range block.Transfers { // recipients that nobody deployed
			if _, known := contracts[transfer.To]; !known {
				strangers[transfer.To] = true
			}
		}
	}
	for address := range strangers {
		requireFailure(t, s.get("/v1/SN_MAIN/contract/"+address.String()), 404, domain.CodeNotFound)
	}
}

func TestContractsKeepTheRequestedOrder(t *testing.T) {
	t.Parallel()
	db := repotest.OpenTemplate(t, repotest.Followed)
	implementations := chain.NewImplementations(onchain.NewImplementations(db), chain.NewCompiledClasses(index.NewArchive(db)))
	contracts := chain.NewContracts(onchain.NewContracts(db), implementations, chain.NewStatuses(onchain.NewHeads(db), 0))
	var addresses []starknet.Felt
	for _, deployed := range repotest.Everyday(t)[0].Deployments {
		addresses = append(addresses, deployed.Address, starknet.MustFelt("0xdead"), deployed.Address)
	}
	ctx, count := telemetry.CountStatements(t.Context())
	got, err := contracts.Of(ctx, domain.Mainnet, addresses)
	if err != nil {
		t.Fatal(err)
	}
	for i, contract := range got {
		if known := i%3 != 1; known != (contract != nil) || known && contract.Address != addresses[i] {
			t.Errorf("%d: got %+v, want %s if it is known", i, contract, addresses[i])
		}
	}
	if count.N() != 2 { // the contracts and the status
		t.Errorf("got %d statements, want 2", count.N())
	}
}
