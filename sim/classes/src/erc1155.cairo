// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

#[starknet::interface]
pub trait IErc1155<TState> {
    fn balance_of(self: @TState, account: ContractAddress, token_id: u256) -> u256;
    fn balance_of_batch(
        self: @TState, accounts: Span<ContractAddress>, token_ids: Span<u256>
    ) -> Span<u256>;
    fn safe_transfer_from(
        ref self: TState,
        from: ContractAddress,
        to: ContractAddress,
        token_id: u256,
        value: u256,
        data: Span<felt252>
    );
    fn safe_batch_transfer_from(
        ref self: TState,
        from: ContractAddress,
        to: ContractAddress,
        token_ids: Span<u256>,
        values: Span<u256>,
        data: Span<felt252>
    );
    fn set_approval_for_all(ref self: TState, operator: ContractAddress, approved: bool);
    fn is_approved_for_all(
        self: @TState, owner: ContractAddress, operator: ContractAddress
    ) -> bool;
    fn uri(self: @TState, token_id: u256) -> ByteArray;
    fn supports_interface(self: @TState, interface_id: felt252) -> bool;
}

#[starknet::interface]
pub trait IErc1155Issue<TState> {
    fn mint(ref self: TState, to: ContractAddress, token_id: u256, value: u256);
    fn batch_mint(
        ref self: TState, to: ContractAddress, token_ids: Span<u256>, values: Span<u256>
    );
    fn burn(ref self: TState, token_id: u256, value: u256);
    fn set_uri(ref self: TState, token_id: u256, value: ByteArray);
}

// Many tokens in one contract, moved one at a time or in batches.
#[starknet::contract]
pub mod Erc1155 {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};

    const ISRC5: felt252 = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055;
    const IERC1155: felt252 = 0x6114a8f75559e1b39fcba08ce02961a1aa082d9256a158dd3e64964e4b1b52;

    #[storage]
    struct Storage {
        issuer: ContractAddress,
        uris: Map<u256, ByteArray>,
        balances: Map<(u256, ContractAddress), u256>,
        operators: Map<(ContractAddress, ContractAddress), bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        TransferSingle: TransferSingle,
        TransferBatch: TransferBatch,
        ApprovalForAll: ApprovalForAll,
        URI: URI,
    }

    #[derive(Drop, starknet::Event)]
    struct TransferSingle {
        #[key]
        operator: ContractAddress,
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        id: u256,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct TransferBatch {
        #[key]
        operator: ContractAddress,
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        ids: Span<u256>,
        values: Span<u256>,
    }

    #[derive(Drop, starknet::Event)]
    struct ApprovalForAll {
        #[key]
        owner: ContractAddress,
        #[key]
        operator: ContractAddress,
        approved: bool,
    }

    #[derive(Drop, starknet::Event)]
    struct URI {
        value: ByteArray,
        #[key]
        id: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, issuer: ContractAddress) {
        self.issuer.write(issuer);
    }

    #[abi(embed_v0)]
    impl Erc1155Impl of super::IErc1155<ContractState> {
        fn balance_of(self: @ContractState, account: ContractAddress, token_id: u256) -> u256 {
            self.balances.read((token_id, account))
        }

        fn balance_of_batch(
            self: @ContractState, accounts: Span<ContractAddress>, token_ids: Span<u256>
        ) -> Span<u256> {
            assert(accounts.len() == token_ids.len(), 'ERC1155: no equal array length');
            let mut balances = array![];
            let mut i = 0;
            while i != accounts.len() {
                balances.append(self.balances.read((*token_ids[i], *accounts[i])));
                i += 1;
            };
            balances.span()
        }

        fn safe_transfer_from(
            ref self: ContractState,
            from: ContractAddress,
            to: ContractAddress,
            token_id: u256,
            value: u256,
            data: Span<felt252>
        ) {
            assert_may_move(@self, from);
            move_value(ref self, from, to, token_id, value);
            self
                .emit(
                    TransferSingle { operator: get_caller_address(), from, to, id: token_id, value }
                );
        }

        fn safe_batch_transfer_from(
            ref self: ContractState,
            from: ContractAddress,
            to: ContractAddress,
            token_ids: Span<u256>,
            values: Span<u256>,
            data: Span<felt252>
        ) {
            assert_may_move(@self, from);
            move_batch(ref self, from, to, token_ids, values);
        }

        fn set_approval_for_all(
            ref self: ContractState, operator: ContractAddress, approved: bool
        ) {
            let owner = get_caller_address();
            self.operators.write((owner, operator), approved);
            self.emit(ApprovalForAll { owner, operator, approved });
        }

        fn is_approved_for_all(
            self: @ContractState, owner: ContractAddress, operator: ContractAddress
        ) -> bool {
            self.operators.read((owner, operator))
        }

        fn uri(self: @ContractState, token_id: u256) -> ByteArray {
            self.uris.read(token_id)
        }

        fn supports_interface(self: @ContractState, interface_id: felt252) -> bool {
            interface_id == ISRC5 || interface_id == IERC1155
        }
    }

    #[abi(embed_v0)]
    impl Erc1155Issue of super::IErc1155Issue<ContractState> {
        fn mint(ref self: ContractState, to: ContractAddress, token_id: u256, value: u256) {
            assert_issuer(@self);
            let from = Zeroable::zero();
            move_value(ref self, from, to, token_id, value);
            self
                .emit(
                    TransferSingle { operator: get_caller_address(), from, to, id: token_id, value }
                );
        }

        fn batch_mint(
            ref self: ContractState, to: ContractAddress, token_ids: Span<u256>, values: Span<u256>
        ) {
            assert_issuer(@self);
            move_batch(ref self, Zeroable::zero(), to, token_ids, values);
        }

        fn burn(ref self: ContractState, token_id: u256, value: u256) {
            let from = get_caller_address();
            let to = Zeroable::zero();
            move_value(ref self, from, to, token_id, value);
            self.emit(TransferSingle { operator: from, from, to, id: token_id, value });
        }

        fn set_uri(ref self: ContractState, token_id: u256, value: ByteArray) {
            assert_issuer(@self);
            self.uris.write(token_id, value.clone());
            self.emit(URI { value, id: token_id });
        }
    }

    fn assert_issuer(self: @ContractState) {
        assert(get_caller_address() == self.issuer.read(), 'ERC1155: only issuer');
    }

    fn assert_may_move(self: @ContractState, from: ContractAddress) {
        let caller = get_caller_address();
        assert(
            caller == from || self.operators.read((from, caller)), 'ERC1155: unauthorized operator'
        );
    }

    fn move_batch(
        ref self: ContractState,
        from: ContractAddress,
        to: ContractAddress,
        ids: Span<u256>,
        values: Span<u256>
    ) {
        assert(ids.len() == values.len(), 'ERC1155: no equal array length');
        let mut i = 0;
        while i != ids.len() {
            move_value(ref self, from, to, *ids[i], *values[i]);
            i += 1;
        };
        self.emit(TransferBatch { operator: get_caller_address(), from, to, ids, values });
    }

    // Moves tokens of one id; the zero address stands for issue and destruction.
    fn move_value(
        ref self: ContractState,
        from: ContractAddress,
        to: ContractAddress,
        token_id: u256,
        value: u256
    ) {
        if from.is_non_zero() {
            self.balances.write((token_id, from), self.balances.read((token_id, from)) - value);
        }
        if to.is_non_zero() {
            self.balances.write((token_id, to), self.balances.read((token_id, to)) + value);
        }
    }
}
