module astrolabe/clients/starknet-go

go 1.26.8

require (
	astrolabe v0.0.0
	github.com/NethermindEth/juno v0.15.11
	github.com/NethermindEth/starknet.go v0.17.1
)

require (
	github.com/Masterminds/semver/v3 v3.4.0 // indirect
	github.com/bits-and-blooms/bitset v1.25.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/consensys/gnark-crypto v0.22.0 // indirect
	github.com/deckarep/golang-set/v2 v2.8.0 // indirect
	github.com/fxamacker/cbor/v2 v2.9.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/holiman/uint256 v1.3.2 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

replace astrolabe => ../..
