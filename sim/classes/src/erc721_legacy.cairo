// SPDX-License-Identifier: Apache-2.0

// A collection in the layout of Cairo 0: everything is data, so that a transfer looks exactly
// like that of a fungible token; name and symbol are short strings.
#[starknet::contract]
pub mod Erc721Legacy {
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use starknet::{ContractAddress, get_caller_address};

    const ISRC5: felt252 = 0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055;
    const IERC721: felt252 = 0x33eb2f84c309543403fd69f0d0f363781ef06ef6faeb0131ff16ea3175bd943;

    #[storage]
    struct Storage {
        name: felt252,
        symbol: felt252,
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
        from_: ContractAddress,
        to: ContractAddress,
        tokenId: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        owner: ContractAddress,
        approved: ContractAddress,
        tokenId: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct ApprovalForAll {
        owner: ContractAddress,
        operator: ContractAddress,
        approved: bool,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState, name: felt252, symbol: felt252, issuer: ContractAddress
    ) {
        self.name.write(name);
        self.symbol.write(symbol);
        self.issuer.write(issuer);
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
    fn tokenURI(self: @ContractState, tokenId: u256) -> Array<felt252> {
        ownerOf(self, tokenId);
        array!['sim://legacy/', tokenId.low.into()]
    }

    #[external(v0)]
    fn balanceOf(self: @ContractState, owner: ContractAddress) -> u256 {
        self.balances.read(owner)
    }

    #[external(v0)]
    fn ownerOf(self: @ContractState, tokenId: u256) -> ContractAddress {
        let owner = self.owners.read(tokenId);
        assert(owner.is_non_zero(), 'ERC721: invalid token ID');
        owner
    }

    #[external(v0)]
    fn getApproved(self: @ContractState, tokenId: u256) -> ContractAddress {
        self.approvals.read(tokenId)
    }

    #[external(v0)]
    fn isApprovedForAll(
        self: @ContractState, owner: ContractAddress, operator: ContractAddress
    ) -> bool {
        self.operators.read((owner, operator))
    }

    #[external(v0)]
    fn supportsInterface(self: @ContractState, interfaceId: felt252) -> bool {
        interfaceId == ISRC5 || interfaceId == IERC721
    }

    #[external(v0)]
    fn supports_interface(self: @ContractState, interface_id: felt252) -> bool {
        supportsInterface(self, interface_id)
    }

    #[external(v0)]
    fn transferFrom(
        ref self: ContractState, from_: ContractAddress, to: ContractAddress, tokenId: u256
    ) {
        let caller = get_caller_address();
        assert(
            caller == from_
                || self.approvals.read(tokenId) == caller
                || self.operators.read((from_, caller)),
            'ERC721: unauthorized caller'
        );
        assert(to.is_non_zero(), 'ERC721: invalid receiver');
        move_token(ref self, from_, to, tokenId);
    }

    #[external(v0)]
    fn approve(ref self: ContractState, to: ContractAddress, tokenId: u256) {
        let owner = ownerOf(@self, tokenId);
        assert(get_caller_address() == owner, 'ERC721: unauthorized caller');
        self.approvals.write(tokenId, to);
        self.emit(Approval { owner, approved: to, tokenId });
    }

    #[external(v0)]
    fn setApprovalForAll(ref self: ContractState, operator: ContractAddress, approved: bool) {
        let owner = get_caller_address();
        self.operators.write((owner, operator), approved);
        self.emit(ApprovalForAll { owner, operator, approved });
    }

    #[external(v0)]
    fn mint(ref self: ContractState, to: ContractAddress, tokenId: u256) {
        assert(get_caller_address() == self.issuer.read(), 'ERC721: only issuer');
        move_token(ref self, Zeroable::zero(), to, tokenId);
    }

    #[external(v0)]
    fn burn(ref self: ContractState, tokenId: u256) {
        move_token(ref self, get_caller_address(), Zeroable::zero(), tokenId);
    }

    // Moves a token between owners; the zero address stands for issue and destruction.
    fn move_token(
        ref self: ContractState, from_: ContractAddress, to: ContractAddress, tokenId: u256
    ) {
        assert(self.owners.read(tokenId) == from_, 'ERC721: wrong sender');
        if from_.is_non_zero() {
            self.balances.write(from_, self.balances.read(from_) - 1);
        }
        if to.is_non_zero() {
            self.balances.write(to, self.balances.read(to) + 1);
        }
        self.approvals.write(tokenId, Zeroable::zero());
        self.owners.write(tokenId, to);
        self.emit(Transfer { from_, to, tokenId });
    }
}
