package graph

import (
	"strings"
	"testing"

	"astrolabe/domain"
	"astrolabe/repo/repotest"
)

func TestWalletOfAnAddressEqualsTheRootWallet(t *testing.T) {
	t.Parallel()
	g := bothFacades(t).servedGraph
	owner := repotest.Everyday(t)[28].Transfers[0].To.String()
	const arguments, selection = `scope: DISCOVERED limit: 5 blockPreference: EXPLICIT blockNumber: 30}`, `{ownerAddress block {blockNumber blockHash} correctness items {tokenAddress balanceRaw status}}`
	root := answer[struct{ WalletState any }](t, g, `{walletState(chain: SN_MAIN input: {ownerAddress: "`+owner+`" `+arguments+`) `+selection+`}`, nil)
	edge := answer[struct{ Address struct{ WalletState any } }](t, g, `{address(chain: SN_MAIN address: "`+owner+`") {walletState(input: {`+arguments+`) `+selection+`}}`, nil)
	if same(t, "the wallet", edge.Address.WalletState, root.WalletState); root.WalletState == nil {
		t.Error("got no wallet, want one")
	}
	a := g.ask(t, `{addresses(chain: SN_MAIN addresses: ["0x1" "0x2" "0x3" "0x4" "0x5" "0x6"]) {walletState {scope}}}`, nil)
	if len(a.body.Errors) != 6 || a.body.Errors[0].Extensions.Code != domain.CodeInvalidRequest || !strings.Contains(a.body.Errors[0].Message, "the limit is 5") {
		t.Errorf("got %s, want 6 errors, the first with the limit 5", a.text)
	}
}
