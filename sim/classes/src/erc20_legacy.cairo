// SPDX-License-Identifier: Apache-2.0

// A bridged fungible token: events keep the layout of Cairo 0, with everything in the data, and
// name and symbol are short strings. A bridge issues and destroys it.
#[starknet::contract]
pub mod Erc20Legacy {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        name: felt252,
        symbol: felt252,
        decimals: u8,
        permitted_minter: ContractAddress,
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
        from: ContractAddress,
        to: ContractAddress,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        owner: ContractAddress,
        spender: ContractAddress,
        value: u256,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        name: felt252,
        symbol: felt252,
        decimals: u8,
        initial_supply: u256,
        recipient: ContractAddress,
        permitted_minter: ContractAddress
    ) {
        self.name.write(name);
        self.symbol.write(symbol);
        self.decimals.write(decimals);
        self.permitted_minter.write(permitted_minter);
        if initial_supply != 0 {
            move_tokens(ref self, Zeroable::zero(), recipient, initial_supply);
        }
    }

    #[external(v0)]
    fn name(self: @ContractState) -> felt252 {
        self.name.read()
    }

    #[external(v0)]
    fn symbol(self: @ContractState) -> felt252 {
        self.symbol.read()
    }

    #[external(v0)]
    fn decimals(self: @ContractState) -> u8 {
        self.decimals.read()
    }

    #[external(v0)]
    fn total_supply(self: @ContractState) -> u256 {
        self.total_supply.read()
    }

    #[external(v0)]
    fn totalSupply(self: @ContractState) -> u256 {
        self.total_supply.read()
    }

    #[external(v0)]
    fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn allowance(self: @ContractState, owner: ContractAddress, spender: ContractAddress) -> u256 {
        self.allowances.read((owner, spender))
    }

    #[external(v0)]
    fn permitted_minter(self: @ContractState) -> ContractAddress {
        self.permitted_minter.read()
    }

    #[external(v0)]
    fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
        move_tokens(ref self, get_caller_address(), recipient, amount);
        true
    }

    #[external(v0)]
    fn transfer_from(
        ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool {
        let allowance = (sender, get_caller_address());
        let allowed = self.allowances.read(allowance);
        assert(allowed >= amount, 'Insufficient ERC20 allowance');
        self.allowances.write(allowance, allowed - amount);
        move_tokens(ref self, sender, recipient, amount);
        true
    }

    #[external(v0)]
    fn transferFrom(
        ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool {
        transfer_from(ref self, sender, recipient, amount)
    }

    #[external(v0)]
    fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
        let owner = get_caller_address();
        self.allowances.write((owner, spender), amount);
        self.emit(Approval { owner, spender, value: amount });
        true
    }

    #[external(v0)]
    fn permissioned_mint(ref self: ContractState, account: ContractAddress, amount: u256) {
        assert(get_caller_address() == self.permitted_minter.read(), 'MINTER_ONLY');
        move_tokens(ref self, Zeroable::zero(), account, amount);
    }

    #[external(v0)]
    fn permissioned_burn(ref self: ContractState, account: ContractAddress, amount: u256) {
        assert(get_caller_address() == self.permitted_minter.read(), 'MINTER_ONLY');
        move_tokens(ref self, account, Zeroable::zero(), amount);
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
