package starknet

import "testing"

func TestSelectorsOfTheEventsAndFunctionsWeKnow(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{ //nolint:gosec // Selectors, not credentials.
		"__default__":                     "0x0",
		"__l1_default__":                  "0x0",
		"ViewingKeySet":                   "0x1321a492485b4f19851fb787ab3800a0030b595332cba93cd5fe40dfb5a4daf",
		"Deposit":                         "0x9149d2123147c5f43d258257fef0b7b969db78269369ebcf5ebb9eef8592f2",
		"Withdrawal":                      "0x2eed7e29b3502a726faf503ac4316b7101f3da813654e8df02c13449e03da8",
		"OpenNoteCreated":                 "0x22330482fd296a27cf9096807b4a3622cd619d31cce42c1e55655914e8459ee",
		"OpenNoteDeposited":               "0x25b6da03c4858d11cb0708d5cb6be79b190fb32eb7a7ce83804e07cbbb9bead",
		"EncNoteCreated":                  "0x23c20207be8b1ef4430c25eef8ce779c9745ebe04139555ae81bd4f8fdd6ec5",
		"NoteUsed":                        "0x247fc60d782e0094e7f98c47f277d92a3345d07a436f1f56b27a9b62be2322e",
		"ExternalContractInvoked":         "0xa8fb36d0894f5e87797c38533a55c4486a1f35e9e9eced10f995b9639a8955",
		"AuditorPublicKeySet":             "0x1201d99a15f3d88fe402ca349f486e5d3f92bd6bf41c0990d74b48c0f7b2ea1",
		"ScreenerPublicKeySet":            "0x24a3c770102a21d765f1e5478b480aeb39ebc6f0a158cef07e722d74564009f",
		"FeeAmountSet":                    "0x3a71cae33f889d328d50250566d1f55971af0792b89c5b3f5fbea1f7aafc4d7",
		"FeeCollectorSet":                 "0x125aaf53a346c4e00244d4b9b35ef8366df1831e45931cd22d8d0211eea7347",
		"ProofValidityBlocksSet":          "0x35ded6c81008684ea271437e09bf788dda262449efb89b0ef0ad492e0a81381",
		"OpenNoteDepositorBlockSet":       "0x1559ab4cffe5da273f7b9a981d025ee6ff6661f7b6f12f5e5e45c66b7a70b83",
		"OpenNoteScreeningPolicySet":      "0xd341147ad7bc871a2e71db5882eefeaf935d28c361c507656bf3acd043424b",
		"apply_actions":                   "0x246333a752c1ac637ff1591c5c885e27d56060d241a29aad8475072da0777db",
		"compile_actions":                 "0x360f8727b971d0bc6b93fc840d637c077f8ae59eb6ca8ce27fdb5422b688192",
		"privacy_invoke":                  "0x402925cce9218828b3ac9a72ac249103f8448a1e1d73c3efaf5da992625043",
		"privacy_invoke_with_computation": "0xd7dcfbab5157247251535943d20090fb50187f80535f739fbacc8febab767",
		"Transfer":                        "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9",
		"TransferSingle":                  "0x182d859c0807ba9db63baf8b9d9fdbfeb885d820be6e206b9dab626d995c433",
		"TransferBatch":                   "0x2563683c757f3abe19c4b7237e2285d8993417ddffe0b54a19eb212ea574b08",
		"Approval":                        "0x134692b230b9e1ffa39098904722134159652b09c5bc41d88d6698779d228ff",
		"ApprovalForAll":                  "0x6ad9ed7b6318f1bcffefe19df9aeb40d22c36bed567e1925a5ccde0536edd",
		"balanceOf":                       "0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e",
		"balance_of":                      "0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33",
		"totalSupply":                     "0x80aa9fdbfaf9615e4afc7f5f722e265daca5ccc655360fa5ccacf9c267936d",
		"total_supply":                    "0x1557182e4359a1f0c6301278e8f5b35a776ab58d39892581e357578fb287836",
		"name":                            "0x361458367e696363fbcc70777d07ebbd2394e89fd0adcaf147faccd1d294d60",
		"symbol":                          "0x216b05c387bab9ac31918a3e61672f4618601f3c598a2f3f2710f37053e1ea4",
		"decimals":                        "0x4c4fb1ab068f6039d5780c68dd0fa2f8742cceb3426d19667778ca7f3518a9",
		"ContractDeployed":                "0x26b160f10156dea0639bec90696772c640b9706a47f5b8c52ea1abe5858b34d",
		"Upgraded":                        "0x2db340e6c609371026731f47050d3976552c89b4fbb012941663841c59d1af3",
		"handle_deposit":                  "0x2d757788a8d8d6f21d1cd40bce38a8222d70654214e96ff95d8086e684fbee5",
		"handle_token_deposit":            "0x1b64b1b3b690b43b9b514fb81377518f4039cd3e4f4914d8a6bdf01d679fb19",
		"handle_deposit_with_message":     "0x8bce41827dd5484d80312a2e43bc42a896e3fcf75bf84c2b49339168dfa00a",
		"handle_token_deployment":         "0x3d78c7ddffebbba7bd7263963b2e0e86b2ed9e990a4fc1b9aed7acd11b37dbc",
		"DepositHandled":                  "0x374396cb322ab5ffd35ddb8627514609289d22c07d039ead5327782f61bb833",
		"WithdrawInitiated":               "0x282f521c69b2bc696552b9e141009d3c84f2df75e2e7b7716644d31e60f23b1",
		"deposit_handled":                 "0x221e5a5008f7a28564f0eaa32cdeb0848d10657c449aed3e15d12150a7c2db3",
		"withdraw_initiated":              "0x194fc63c49b0f07c8e7a78476844837255213824bd6cb81e0ccfb949921aad1",
	} {
		if got := Selector(name); got != MustFelt(want) {
			t.Errorf("Selector(%s) = %v, want %s", name, got, want)
		}
	}
}
