package address_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

var ether = starknet.MustFelt("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")

func (g *guide) add(n address.Note) {
	g.Helper()
	if n.Chain == "" {
		n.Chain = domain.Mainnet
	}
	if n.Label.Confidence == "" {
		n.Label.Confidence = address.High
	}
	if err := g.labels.Add(g.Context(), n); err != nil {
		g.Fatal(err)
	}
}

func (g *guide) label(felts ...starknet.Felt) []*address.Label {
	g.Helper()
	labels, err := g.labels.Of(g.Context(), domain.Mainnet, felts)
	if err != nil {
		g.Fatal(err)
	}
	return labels
}

// TestAnOperatorsLabelWinsOverTheRegistryAndBothOverTheClass labels an account
// in three ways, the weakest first.
func TestAnOperatorsLabelWinsOverTheRegistryAndBothOverTheClass(t *testing.T) {
	t.Parallel()
	g, l := followed(t)
	var account starknet.Felt
	for _, owner := range l.addresses {
		if p := l.portrait(owner); p.class != nil && p.class.Account {
			account = owner
		}
	}
	class := l.portrait(account).class.Hash
	if got := g.label(account, ether); got[0] != nil || got[1].Text != "ETH token" || got[1].Source != address.FromRegistry || got[1].Confidence != address.High || got[1].Protocol.Kind != "token" {
		t.Fatalf("got %+v and %+v, want no label of the account, and ETH token from the registry", got[0], got[1])
	}
	wallet := &address.Protocol{Name: "Wallets", Kind: "wallet"}
	g.add(address.Note{Subject: address.OfClass, Felt: class, Label: address.Label{Text: "Simulated account", Confidence: address.Low, Protocol: wallet}, By: "me"})
	if got := g.label(account)[0]; !reflect.DeepEqual(got, &address.Label{Text: "Simulated account", Confidence: address.Low, Source: address.FromClass, Protocol: wallet}) {
		t.Errorf("got %+v, want Simulated account from its class", got)
	}
	g.add(address.Note{Subject: address.OfAddress, Felt: account, Label: address.Label{Text: "Treasury"}})
	g.add(address.Note{Subject: address.OfAddress, Felt: ether, Label: address.Label{Text: "Our ether"}})
	got := g.label(ether, account, account)
	if got[0].Text != "Our ether" || got[0].Source != address.FromOperator || got[0].Protocol != nil || got[1].Text != "Treasury" || got[2].Text != "Treasury" {
		t.Errorf("got %+v, %+v and %+v, want Our ether, Treasury and Treasury from the operator", got[0], got[1], got[2])
	}
	profile, err := g.addresses.Intelligence(t.Context(), domain.Mainnet, []starknet.Felt{account})
	if err != nil || profile[0].Label.Text != "Treasury" || *profile[0].ClassLabel != "Simulated account" {
		t.Errorf("got %+v and %v, want the label Treasury and the class label Simulated account", profile, err)
	}
	for subject, felt := range map[address.Subject]starknet.Felt{address.OfAddress: ether, address.OfClass: class} {
		if err := g.labels.Remove(t.Context(), domain.Mainnet, subject, felt); err != nil {
			t.Error(err)
		}
		if err := g.labels.Remove(t.Context(), domain.Mainnet, subject, felt); domain.CodeOf(err) != domain.CodeNotFound {
			t.Errorf("second removal: got %v, want %s", err, domain.CodeNotFound)
		}
	}
	if got := g.label(ether)[0]; got.Text != "ETH token" {
		t.Errorf("got %+v, want ETH token", got)
	}
}

func TestAShippedClassLabelNamesItsAddresses(t *testing.T) {
	t.Parallel()
	class := starknet.MustFelt("0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f")
	g := newGuide(t, deployedWith(t, class, hub))
	want := &address.Label{Text: "Argent account 0.4", Confidence: address.Medium, Source: address.FromClass, Protocol: &address.Protocol{Name: "Argent", Kind: "wallet"}}
	if got := g.label(hub)[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("label (-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestALabelledAddressIsFoundWithoutActivity(t *testing.T) {
	t.Parallel()
	g, _ := followed(t)
	elsewhere := starknet.MustFelt("0x5dd3d2f4429af886cd1a3b08289dbcea99a294197e9eb43b0e0325b4b") // not on the simulated chain
	got, err := g.addresses.Intelligence(t.Context(), domain.Mainnet, []starknet.Felt{elsewhere})
	if err != nil || !got[0].Found || got[0].Label.Text != "Ekubo: core" || got[0].Type != address.TypeUnknown || got[0].Deployed {
		t.Errorf("got %+v and %v, want the label Ekubo: core of an unknown address that is not deployed", got, err)
	}
}

func TestLabelsAreFoundByPrefix(t *testing.T) {
	t.Parallel()
	g, _ := followed(t)
	g.add(address.Note{Subject: address.OfAddress, Felt: hub, Label: address.Label{Text: "starkgate: Fan_club 100%"}})
	g.add(address.Note{Subject: address.OfClass, Felt: hub, Label: address.Label{Text: "StarkGate class"}})
	g.add(address.Note{Subject: address.OfAddress, Felt: ether, Label: address.Label{Text: "Renamed"}})
	g.add(address.Note{Chain: domain.Sepolia, Subject: address.OfAddress, Felt: ether, Label: address.Label{Text: "StarkGate elsewhere"}})
	search := func(prefix string, limit int) (texts []string) {
		found, err := g.labels.Search(t.Context(), domain.Mainnet, prefix, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			texts = append(texts, f.Label.Text)
			if f.Address.IsZero() || f.Label.Source == "" {
				t.Errorf("got %+v, want an address and a source", f)
			}
		}
		return texts
	}
	all := search("STARKGATE", 100)
	if len(all) != 13 || all[0] != "StarkGate: ETH bridge" || !strings.HasPrefix(strings.ToLower(all[2]), "starkgate: fan_club") {
		t.Errorf("got %q, want 13 labels from StarkGate: ETH bridge on, with starkgate: Fan_club as the third", all)
	}
	for prefix, want := range map[string][]string{
		"starkgate: fan_": {"starkgate: Fan_club 100%"}, "starkgate: fanX": nil, "%": nil, "ETH t": nil, "renamed": {"Renamed"}, "zzz": nil,
	} {
		if got := search(prefix, 10); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", prefix, got, want)
		}
	}
	if got := search("s", 2); len(got) != 2 {
		t.Errorf("got %q, want 2 labels", got)
	}
}

func TestAnInvalidLabelIsRejected(t *testing.T) {
	t.Parallel()
	g, _ := followed(t)
	good := address.Label{Text: "Good", Confidence: address.Low, Protocol: &address.Protocol{Name: "Good", Kind: "bridge_2"}}
	for name, change := range map[string]func(*address.Label){
		"empty":                 func(l *address.Label) { l.Text = "" },
		"too long":              func(l *address.Label) { l.Text = strings.Repeat("ü", 65) },
		"with spaces":           func(l *address.Label) { l.Text = " Good" },
		"with a line break":     func(l *address.Label) { l.Text = "Go\nod" },
		"turned around":         func(l *address.Label) { l.Text = "Go\u202eod" },
		"not UTF-8":             func(l *address.Label) { l.Text = "Go\xff" },
		"a protocol without":    func(l *address.Label) { l.Protocol = &address.Protocol{} },
		"a kind in upper case":  func(l *address.Label) { l.Protocol = &address.Protocol{Name: "x", Kind: "Bridge"} },
		"a kind that is long":   func(l *address.Label) { l.Protocol = &address.Protocol{Name: "x", Kind: strings.Repeat("x", 33)} },
		"an unknown confidence": func(l *address.Label) { l.Confidence = "certain" },
	} {
		label := good
		change(&label)
		err := g.labels.Add(t.Context(), address.Note{Chain: domain.Mainnet, Subject: address.OfAddress, Felt: hub, Label: label})
		if domain.CodeOf(err) != domain.CodeInvalidRequest {
			t.Errorf("%s: got %v, want %s", name, err, domain.CodeInvalidRequest)
		}
	}
	g.add(address.Note{Subject: address.OfAddress, Felt: hub, Label: good, By: "me"})
	notes, err := g.labels.List(t.Context())
	if err != nil || len(notes) != 1 || notes[0].By != "me" || notes[0].Chain != domain.Mainnet || notes[0].Subject != address.OfAddress || notes[0].At.IsZero() ||
		notes[0].Label.Text != "Good" || *notes[0].Label.Protocol != *good.Protocol {
		t.Errorf("got %+v and %v, want the good label alone, as it was added", notes, err)
	}
}

func TestRegistryTokensAreCompleteAndSorted(t *testing.T) {
	t.Parallel()
	for _, c := range domain.Chains {
		tokens := address.RegistryTokens(c)
		if len(tokens) < 2 {
			t.Errorf("%s: got %d tokens, want at least 2", c, len(tokens))
		}
		for i, token := range tokens {
			if i > 0 && tokens[i-1].Address.Cmp(token.Address) >= 0 || token.Symbol == "" || token.Name == "" || token.Decimals == 0 {
				t.Errorf("got %+v, want a symbol, a name and decimals, in the order of the addresses", token)
			}
		}
	}
}
