// SPDX-License-Identifier: Apache-2.0
mod interfaces;

use starknet::ContractAddress;

#[starknet::interface]
pub trait IErc721<TState> {
    fn balance_of(self: @TState, account: ContractAddress) -> u256;
    fn owner_of(self: @TState, token_id: u256) -> ContractAddress;
    fn transfer_from(
        ref self: TState, from: ContractAddress, to: ContractAddress, token_id: u256
    );
    fn approve(ref self: TState, to: ContractAddress, token_id: u256);
    fn set_approval_for_all(ref self: TState, operator: ContractAddress, approved: bool);
    fn get_approved(self: @TState, token_id: u256) -> ContractAddress;
    fn is_approved_for_all(
        self: @TState, owner: ContractAddress, operator: ContractAddress
    ) -> bool;
}

#[starknet::interface]
pub trait IErc721Metadata<TState> {
    fn name(self: @TState) -> ByteArray;
    fn symbol(self: @TState) -> ByteArray;
    fn token_uri(self: @TState, token_id: u256) -> ByteArray;
}

#[starknet::interface]
pub trait IErc721Camel<TState> {
    fn balanceOf(self: @TState, account: ContractAddress) -> u256;
    fn ownerOf(self: @TState, tokenId: u256) -> ContractAddress;
    fn tokenURI(self: @TState, tokenId: u256) -> ByteArray;
    fn transferFrom(ref self: TState, from: ContractAddress, to: ContractAddress, tokenId: u256);
}

#[starknet::interface]
pub trait ISrc5<TState> {
    fn supports_interface(self: @TState, interface_id: felt252) -> bool;
}

#[starknet::interface]
pub trait IErc721Issue<TState> {
    fn mint(ref self: TState, to: ContractAddress, token_id: u256);
    fn burn(ref self: TState, token_id: u256);
}

// A collection of today: the parties and the token's id are keys, and transfers have no data.
#[starknet::contract]
pub mod Erc721Keyed {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};
    use super::interfaces::{IERC721, ISRC5};

    #[storage]
    struct Storage {
        name: ByteArray,
        symbol: ByteArray,
        base_uri: ByteArray,
        issuer: ContractAddress,
        owners: Map<u256, ContractAddress>,
        balances: Map<ContractAddress, u256>,
        approvals: Map<u256, ContractAddress>,
        operators: Map<(ContractAddress, ContractAddress), bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Approval: Approval,
        ApprovalForAll: ApprovalForAll,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        #[key]
        token_id: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        #[key]
        owner: ContractAddress,
        #[key]
        approved: ContractAddress,
        #[key]
        token_id: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct ApprovalForAll {
        #[key]
        owner: ContractAddress,
        #[key]
        operator: ContractAddress,
        approved: bool,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        name: ByteArray,
        symbol: ByteArray,
        base_uri: ByteArray,
        issuer: ContractAddress
    ) {
        self.name.write(name);
        self.symbol.write(symbol);
        self.base_uri.write(base_uri);
        self.issuer.write(issuer);
    }

    #[abi(embed_v0)]
    impl Erc721 of super::IErc721<ContractState> {
        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }

        fn owner_of(self: @ContractState, token_id: u256) -> ContractAddress {
            let owner = self.owners.read(token_id);
            assert(owner.is_non_zero(), 'ERC721: invalid token ID');
            owner
        }

        fn transfer_from(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, token_id: u256
        ) {
            let caller = get_caller_address();
            assert(
                caller == from
                    || self.approvals.read(token_id) == caller
                    || self.operators.read((from, caller)),
                'ERC721: unauthorized caller'
            );
            assert(to.is_non_zero(), 'ERC721: invalid receiver');
            move_token(ref self, from, to, token_id);
        }

        fn approve(ref self: ContractState, to: ContractAddress, token_id: u256) {
            let owner = Self::owner_of(@self, token_id);
            assert(get_caller_address() == owner, 'ERC721: unauthorized caller');
            self.approvals.write(token_id, to);
            self.emit(Approval { owner, approved: to, token_id });
        }

        fn set_approval_for_all(
            ref self: ContractState, operator: ContractAddress, approved: bool
        ) {
            let owner = get_caller_address();
            self.operators.write((owner, operator), approved);
            self.emit(ApprovalForAll { owner, operator, approved });
        }

        fn get_approved(self: @ContractState, token_id: u256) -> ContractAddress {
            self.approvals.read(token_id)
        }

        fn is_approved_for_all(
            self: @ContractState, owner: ContractAddress, operator: ContractAddress
        ) -> bool {
            self.operators.read((owner, operator))
        }
    }

    #[abi(embed_v0)]
    impl Erc721Metadata of super::IErc721Metadata<ContractState> {
        fn name(self: @ContractState) -> ByteArray {
            self.name.read()
        }

        fn symbol(self: @ContractState) -> ByteArray {
            self.symbol.read()
        }

        fn token_uri(self: @ContractState, token_id: u256) -> ByteArray {
            Erc721::owner_of(self, token_id);
            format!("{}{}", self.base_uri.read(), token_id)
        }
    }

    #[abi(embed_v0)]
    impl Erc721Camel of super::IErc721Camel<ContractState> {
        fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
            Erc721::balance_of(self, account)
        }

        fn ownerOf(self: @ContractState, tokenId: u256) -> ContractAddress {
            Erc721::owner_of(self, tokenId)
        }

        fn tokenURI(self: @ContractState, tokenId: u256) -> ByteArray {
            Erc721Metadata::token_uri(self, tokenId)
        }

        fn transferFrom(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, tokenId: u256
        ) {
            Erc721::transfer_from(ref self, from, to, tokenId)
        }
    }

    #[abi(embed_v0)]
    impl Src5 of super::ISrc5<ContractState> {
        fn supports_interface(self: @ContractState, interface_id: felt252) -> bool {
            interface_id == ISRC5 || interface_id == IERC721
        }
    }

    #[abi(embed_v0)]
    impl Erc721Issue of super::IErc721Issue<ContractState> {
        fn mint(ref self: ContractState, to: ContractAddress, token_id: u256) {
            assert(get_caller_address() == self.issuer.read(), 'ERC721: only issuer');
            move_token(ref self, Zeroable::zero(), to, token_id);
        }

        fn burn(ref self: ContractState, token_id: u256) {
            move_token(ref self, get_caller_address(), Zeroable::zero(), token_id);
        }
    }

    // Moves a token between owners; the zero address stands for issue and destruction.
    fn move_token(
        ref self: ContractState, from: ContractAddress, to: ContractAddress, token_id: u256
    ) {
        assert(self.owners.read(token_id) == from, 'ERC721: wrong sender');
        if from.is_non_zero() {
            self.balances.write(from, self.balances.read(from) - 1);
        }
        if to.is_non_zero() {
            self.balances.write(to, self.balances.read(to) + 1);
        }
        self.approvals.write(token_id, Zeroable::zero());
        self.owners.write(token_id, to);
        self.emit(Transfer { from, to, token_id });
    }
}
