// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

#[starknet::interface]
pub trait IAmmFactory<TState> {
    fn create_pair(
        ref self: TState, token_a: ContractAddress, token_b: ContractAddress
    ) -> ContractAddress;
    fn get_pair(
        self: @TState, token_a: ContractAddress, token_b: ContractAddress
    ) -> ContractAddress;
    fn get_num_of_pairs(self: @TState) -> u32;
    fn get_fee_to(self: @TState) -> ContractAddress;
}

// Creates pairs of a constant-product exchange, one for every two tokens.
#[starknet::contract]
pub mod AmmFactory {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::syscalls::deploy_syscall;
    use starknet::{ClassHash, ContractAddress, SyscallResultTrait};

    #[storage]
    struct Storage {
        pair_class: ClassHash,
        fee_to: ContractAddress,
        count: u32,
        pairs: Map<(ContractAddress, ContractAddress), ContractAddress>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        PairCreated: PairCreated,
    }

    #[derive(Drop, starknet::Event)]
    struct PairCreated {
        token0: ContractAddress,
        token1: ContractAddress,
        pair: ContractAddress,
        total_pairs: u32,
    }

    #[constructor]
    fn constructor(ref self: ContractState, pair_class: ClassHash, fee_to: ContractAddress) {
        self.pair_class.write(pair_class);
        self.fee_to.write(fee_to);
    }

    #[abi(embed_v0)]
    impl Factory of super::IAmmFactory<ContractState> {
        fn create_pair(
            ref self: ContractState, token_a: ContractAddress, token_b: ContractAddress
        ) -> ContractAddress {
            let (token0, token1) = sorted(token_a, token_b);
            assert(self.pairs.read((token0, token1)).is_zero(), 'pair exists');
            let calldata = array![token0.into(), token1.into()];
            let count = self.count.read() + 1;
            let (pair, _) = deploy_syscall(
                self.pair_class.read(), count.into(), calldata.span(), false
            )
                .unwrap_syscall();
            self.pairs.write((token0, token1), pair);
            self.count.write(count);
            self.emit(PairCreated { token0, token1, pair, total_pairs: count });
            pair
        }

        fn get_pair(
            self: @ContractState, token_a: ContractAddress, token_b: ContractAddress
        ) -> ContractAddress {
            self.pairs.read(sorted(token_a, token_b))
        }

        fn get_num_of_pairs(self: @ContractState) -> u32 {
            self.count.read()
        }

        fn get_fee_to(self: @ContractState) -> ContractAddress {
            self.fee_to.read()
        }
    }

    fn sorted(a: ContractAddress, b: ContractAddress) -> (ContractAddress, ContractAddress) {
        assert(a != b, 'identical tokens');
        let (left, right): (felt252, felt252) = (a.into(), b.into());
        let (left, right): (u256, u256) = (left.into(), right.into());
        if left < right {
            (a, b)
        } else {
            (b, a)
        }
    }
}
