// SPDX-License-Identifier: Apache-2.0
mod errors;

use starknet::ContractAddress;

#[starknet::interface]
pub trait IErc20<TState> {
    fn name(self: @TState) -> ByteArray;
    fn symbol(self: @TState) -> ByteArray;
    fn decimals(self: @TState) -> u8;
    fn total_supply(self: @TState) -> u256;
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn allowance(self: @TState, owner: ContractAddress, spender: ContractAddress) -> u256;
    fn transfer(ref self: TState, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool;
    fn approve(ref self: TState, spender: ContractAddress, amount: u256) -> bool;
}

#[starknet::interface]
pub trait IErc20Camel<TState> {
    fn totalSupply(self: @TState) -> u256;
    fn balanceOf(self: @TState, account: ContractAddress) -> u256;
    fn transferFrom(
        ref self: TState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool;
}

#[starknet::interface]
pub trait IErc20Issue<TState> {
    fn mint(ref self: TState, recipient: ContractAddress, amount: u256);
    fn burn(ref self: TState, amount: u256);
}

// A fungible token of today: the parties of a transfer are keys, name and symbol are strings.
#[starknet::contract]
pub mod Erc20Keyed {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};
    use super::errors;

    #[storage]
    struct Storage {
        name: ByteArray,
        symbol: ByteArray,
        decimals: u8,
        owner: ContractAddress,
        total_supply: u256,
        balances: Map<ContractAddress, u256>,
        allowances: Map<(ContractAddress, ContractAddress), u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Approval: Approval,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        #[key]
        owner: ContractAddress,
        #[key]
        spender: ContractAddress,
        value: u256,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        name: ByteArray,
        symbol: ByteArray,
        decimals: u8,
        initial_supply: u256,
        recipient: ContractAddress,
        owner: ContractAddress
    ) {
        self.name.write(name);
        self.symbol.write(symbol);
        self.decimals.write(decimals);
        self.owner.write(owner);
        move_tokens(ref self, Zeroable::zero(), recipient, initial_supply);
    }

    #[abi(embed_v0)]
    impl Erc20 of super::IErc20<ContractState> {
        fn name(self: @ContractState) -> ByteArray {
            self.name.read()
        }

        fn symbol(self: @ContractState) -> ByteArray {
            self.symbol.read()
        }

        fn decimals(self: @ContractState) -> u8 {
            self.decimals.read()
        }

        fn total_supply(self: @ContractState) -> u256 {
            self.total_supply.read()
        }

        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }

        fn allowance(
            self: @ContractState, owner: ContractAddress, spender: ContractAddress
        ) -> u256 {
            self.allowances.read((owner, spender))
        }

        fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
            move_tokens(ref self, get_caller_address(), recipient, amount);
            true
        }

        fn transfer_from(
            ref self: ContractState,
            sender: ContractAddress,
            recipient: ContractAddress,
            amount: u256
        ) -> bool {
            let allowance = (sender, get_caller_address());
            let allowed = self.allowances.read(allowance);
            assert(allowed >= amount, errors::INSUFFICIENT_ALLOWANCE);
            self.allowances.write(allowance, allowed - amount);
            move_tokens(ref self, sender, recipient, amount);
            true
        }

        fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
            let owner = get_caller_address();
            self.allowances.write((owner, spender), amount);
            self.emit(Approval { owner, spender, value: amount });
            true
        }
    }

    #[abi(embed_v0)]
    impl Erc20Camel of super::IErc20Camel<ContractState> {
        fn totalSupply(self: @ContractState) -> u256 {
            Erc20::total_supply(self)
        }

        fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
            Erc20::balance_of(self, account)
        }

        fn transferFrom(
            ref self: ContractState,
            sender: ContractAddress,
            recipient: ContractAddress,
            amount: u256
        ) -> bool {
            Erc20::transfer_from(ref self, sender, recipient, amount)
        }
    }

    #[abi(embed_v0)]
    impl Erc20Issue of super::IErc20Issue<ContractState> {
        fn mint(ref self: ContractState, recipient: ContractAddress, amount: u256) {
            assert(get_caller_address() == self.owner.read(), errors::ONLY_OWNER);
            move_tokens(ref self, Zeroable::zero(), recipient, amount);
        }

        fn burn(ref self: ContractState, amount: u256) {
            move_tokens(ref self, get_caller_address(), Zeroable::zero(), amount);
        }
    }

    // Moves tokens between accounts; the zero address stands for issue and destruction.
    fn move_tokens(
        ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u256
    ) {
        if from.is_zero() {
            self.total_supply.write(self.total_supply.read() + amount);
        } else {
            self.balances.write(from, self.balances.read(from) - amount);
        }
        if to.is_zero() {
            self.total_supply.write(self.total_supply.read() - amount);
        } else {
            self.balances.write(to, self.balances.read(to) + amount);
        }
        self.emit(Transfer { from, to, value: amount });
    }
}
