// SPDX-License-Identifier: Apache-2.0
use starknet::ContractAddress;

#[starknet::interface]
pub trait IToken<TState> {
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
}

#[starknet::interface]
pub trait IAmmPair<TState> {
    fn token0(self: @TState) -> ContractAddress;
    fn token1(self: @TState) -> ContractAddress;
    fn get_reserves(self: @TState) -> (u256, u256, u64);
    fn mint(ref self: TState, to: ContractAddress) -> u256;
    fn burn(ref self: TState, to: ContractAddress) -> (u256, u256);
    fn swap(ref self: TState, amount0_out: u256, amount1_out: u256, to: ContractAddress);
    fn sync(ref self: TState);
}

#[starknet::interface]
pub trait IShares<TState> {
    fn name(self: @TState) -> felt252;
    fn symbol(self: @TState) -> felt252;
    fn decimals(self: @TState) -> u8;
    fn total_supply(self: @TState) -> u256;
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
}

// A pair of a constant-product exchange; its shares are a token of their own.
#[starknet::contract]
pub mod AmmPair {
    use core::integer::u512;
    use core::num::traits::{Sqrt, WideMul};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{
        ContractAddress, get_block_timestamp, get_caller_address, get_contract_address
    };
    use super::{ITokenDispatcher, ITokenDispatcherTrait};

    #[storage]
    struct Storage {
        token0: ContractAddress,
        token1: ContractAddress,
        reserve0: u256,
        reserve1: u256,
        updated_at: u64,
        supply: u256,
        shares: Map<ContractAddress, u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Mint: Mint,
        Burn: Burn,
        Swap: Swap,
        Sync: Sync,
        Transfer: Transfer,
    }

    #[derive(Drop, starknet::Event)]
    struct Mint {
        sender: ContractAddress,
        amount0: u256,
        amount1: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Burn {
        sender: ContractAddress,
        amount0: u256,
        amount1: u256,
        to: ContractAddress,
    }

    #[derive(Drop, starknet::Event)]
    struct Swap {
        sender: ContractAddress,
        amount0In: u256,
        amount1In: u256,
        amount0Out: u256,
        amount1Out: u256,
        to: ContractAddress,
    }

    #[derive(Drop, starknet::Event)]
    struct Sync {
        reserve0: u256,
        reserve1: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        from: ContractAddress,
        to: ContractAddress,
        value: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, token0: ContractAddress, token1: ContractAddress) {
        self.token0.write(token0);
        self.token1.write(token1);
    }

    #[abi(embed_v0)]
    impl Pair of super::IAmmPair<ContractState> {
        fn token0(self: @ContractState) -> ContractAddress {
            self.token0.read()
        }

        fn token1(self: @ContractState) -> ContractAddress {
            self.token1.read()
        }

        fn get_reserves(self: @ContractState) -> (u256, u256, u64) {
            (self.reserve0.read(), self.reserve1.read(), self.updated_at.read())
        }

        // Takes what was sent to the pair since the last call and issues shares for it.
        fn mint(ref self: ContractState, to: ContractAddress) -> u256 {
            let (balance0, balance1) = balances(@self);
            let amount0 = balance0 - self.reserve0.read();
            let amount1 = balance1 - self.reserve1.read();
            let supply = self.supply.read();
            let liquidity = if supply == 0 {
                let product: u256 = amount0 * amount1;
                product.sqrt().into()
            } else {
                let share0 = amount0 * supply / self.reserve0.read();
                let share1 = amount1 * supply / self.reserve1.read();
                if share0 < share1 {
                    share0
                } else {
                    share1
                }
            };
            assert(liquidity != 0, 'insufficient liquidity minted');
            move_shares(ref self, Zeroable::zero(), to, liquidity);
            update(ref self, balance0, balance1);
            self.emit(Mint { sender: get_caller_address(), amount0, amount1 });
            liquidity
        }

        // Pays out the shares that were sent to the pair since the last call.
        fn burn(ref self: ContractState, to: ContractAddress) -> (u256, u256) {
            let (balance0, balance1) = balances(@self);
            let liquidity = self.shares.read(get_contract_address());
            let supply = self.supply.read();
            let amount0 = liquidity * balance0 / supply;
            let amount1 = liquidity * balance1 / supply;
            move_shares(ref self, get_contract_address(), Zeroable::zero(), liquidity);
            pay(@self, amount0, amount1, to);
            let (balance0, balance1) = balances(@self);
            update(ref self, balance0, balance1);
            self.emit(Burn { sender: get_caller_address(), amount0, amount1, to });
            (amount0, amount1)
        }

        fn swap(
            ref self: ContractState, amount0_out: u256, amount1_out: u256, to: ContractAddress
        ) {
            let (reserve0, reserve1) = (self.reserve0.read(), self.reserve1.read());
            assert(amount0_out < reserve0 && amount1_out < reserve1, 'insufficient liquidity');
            pay(@self, amount0_out, amount1_out, to);
            let (balance0, balance1) = balances(@self);
            let amount0_in = balance0 - (reserve0 - amount0_out);
            let amount1_in = balance1 - (reserve1 - amount1_out);
            let before: u512 = reserve0.wide_mul(reserve1 * 1000000);
            let after: u512 = (balance0 * 1000 - amount0_in * 3)
                .wide_mul(balance1 * 1000 - amount1_in * 3);
            assert(!less(after, before), 'invariant K');
            update(ref self, balance0, balance1);
            self
                .emit(
                    Swap {
                        sender: get_caller_address(),
                        amount0In: amount0_in,
                        amount1In: amount1_in,
                        amount0Out: amount0_out,
                        amount1Out: amount1_out,
                        to
                    }
                );
        }

        fn sync(ref self: ContractState) {
            let (balance0, balance1) = balances(@self);
            update(ref self, balance0, balance1);
        }
    }

    #[abi(embed_v0)]
    impl Shares of super::IShares<ContractState> {
        fn name(self: @ContractState) -> felt252 {
            'Pair shares'
        }

        fn symbol(self: @ContractState) -> felt252 {
            'PAIR'
        }

        fn decimals(self: @ContractState) -> u8 {
            18
        }

        fn total_supply(self: @ContractState) -> u256 {
            self.supply.read()
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.shares.read(account)
        }

        fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
            move_shares(ref self, get_caller_address(), recipient, amount);
            true
        }
    }

    fn balances(self: @ContractState) -> (u256, u256) {
        let this = get_contract_address();
        (
            ITokenDispatcher { contract_address: self.token0.read() }.balance_of(this),
            ITokenDispatcher { contract_address: self.token1.read() }.balance_of(this)
        )
    }

    fn pay(self: @ContractState, amount0: u256, amount1: u256, to: ContractAddress) {
        if amount0 != 0 {
            ITokenDispatcher { contract_address: self.token0.read() }.transfer(to, amount0);
        }
        if amount1 != 0 {
            ITokenDispatcher { contract_address: self.token1.read() }.transfer(to, amount1);
        }
    }

    fn update(ref self: ContractState, reserve0: u256, reserve1: u256) {
        self.reserve0.write(reserve0);
        self.reserve1.write(reserve1);
        self.updated_at.write(get_block_timestamp());
        self.emit(Sync { reserve0, reserve1 });
    }

    fn less(a: u512, b: u512) -> bool {
        let (high_a, high_b) = (
            u256 { low: a.limb2, high: a.limb3 }, u256 { low: b.limb2, high: b.limb3 }
        );
        let (low_a, low_b) = (
            u256 { low: a.limb0, high: a.limb1 }, u256 { low: b.limb0, high: b.limb1 }
        );
        high_a < high_b || (high_a == high_b && low_a < low_b)
    }

    // Moves shares between accounts; the zero address stands for issue and destruction.
    fn move_shares(
        ref self: ContractState, from: ContractAddress, to: ContractAddress, value: u256
    ) {
        if from.is_zero() {
            self.supply.write(self.supply.read() + value);
        } else {
            self.shares.write(from, self.shares.read(from) - value);
        }
        if to.is_zero() {
            self.supply.write(self.supply.read() - value);
        } else {
            self.shares.write(to, self.shares.read(to) + value);
        }
        self.emit(Transfer { from, to, value });
    }
}
