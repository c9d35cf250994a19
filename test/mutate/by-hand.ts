import type { Mutant } from "./mutants.ts";

/** One mistake that nobody notices in a review: this text of the source becomes that one. */
type Mistake = { what: string; from: string; to: string };

const DISTRIBUTOR: readonly Mistake[] = [
  {
    what: "raising the cap resets what was spent today",
    from: "        _dailyCap = dailyCap;",
    to: "        if (dailyCap > _dailyCap) _spent = 0;\n        _dailyCap = dailyCap;",
  },
  {
    what: "the event of the rate names the bound",
    from: "emit RateApplied(weiPerCent)",
    to: "emit RateApplied(_maxWeiPerCent)",
  },
  {
    what: "the gas is not checked while a credit exists",
    from: "if (gasleft() < MIN_GAS_BEFORE_CALL) revert",
    to: "if (totalCredit == 0 && gasleft() < MIN_GAS_BEFORE_CALL) revert",
  },
  {
    what: "300,000 gas are forwarded",
    from: "trySafeTransferETH(recipient, amount, RECIPIENT_GAS)",
    to: "trySafeTransferETH(recipient, amount, 300_000)",
  },
  {
    what: "no CHZ is taken once retired",
    from: "        emit Funded(msg.sender, msg.value);",
    to: "        if (isRetired) revert CashbackDistributor_NoCredit(msg.sender);\n        emit Funded(msg.sender, msg.value);",
  },
  {
    what: "what is skipped is told after what is paid",
    from: "            if (recipient != address(0)) _send(_idOf(item), recipient, _amountOf(item));\n        }",
    to: `            if (recipient != address(0)) _send(_idOf(item), recipient, _amountOf(item));
        }
        for (uint256 i; i < size; ++i) {
            if (purchases[i].buyer() == address(0)) emit CashbackSkipped(_idOf(items[i]));
        }`,
  },
  {
    what: "a withdrawal is told after the transfer",
    from: "        emit CreditWithdrawn(recipient, to, amount);\n        _transferOrRevert(to, amount);",
    to: "        _transferOrRevert(to, amount);\n        emit CreditWithdrawn(recipient, to, amount);",
  },
  {
    what: "a sweep is told after the transfer",
    from: "        emit Swept(to, amount);\n        _transferOrRevert(to, amount);",
    to: "        _transferOrRevert(to, amount);\n        emit Swept(to, amount);",
  },
  {
    what: "a day has 8 bits",
    from: "return uint32(block.timestamp / 1 days)",
    to: "return uint8(block.timestamp / 1 days)",
  },
  {
    what: "a day has 16 bits",
    from: "return uint32(block.timestamp / 1 days)",
    to: "return uint16(block.timestamp / 1 days)",
  },
  {
    what: "the rate caps the first item only",
    from: "_requirePayable(purchaseId, amount, weiPerCent, maxPayout, purchase);",
    to: "_requirePayable(purchaseId, amount, i == 0 ? weiPerCent : _maxWeiPerCent, maxPayout, purchase);",
  },
  {
    what: "a sweep reaches credits once retired",
    from: "        if (amount > available()) revert",
    to: "        if (amount > (isRetired ? address(this).balance : available())) revert",
  },
  {
    what: "the base percent is dropped above 2^39 cents",
    from: "(purchase.baseBps() + purchase.bonusBps())",
    to: "((purchase.valueCents() > 2 ** 39 ? 0 : purchase.baseBps()) + purchase.bonusBps())",
  },
  {
    what: "a single wei is not added to the credits",
    from: "            totalCredit += amount;",
    to: "            totalCredit += amount == 1 ? 0 : amount;",
  },
  {
    what: "credits are closed when retired and paused",
    from: "        if (amount == 0) revert CashbackDistributor_NoCredit(recipient);",
    to: "        if (amount == 0 || (isRetired && paused())) revert CashbackDistributor_NoCredit(recipient);",
  },
  {
    what: "what was paid before another word is forgotten in a batch",
    from: "                if (wordIndex != _NO_WORD) _paidWords[wordIndex] = word;",
    to: "",
  },
  {
    what: "pay forgets its predecessor's bits",
    from: "        _paidWords[wordIndex] = word | mask;",
    to: "        _paidWords[wordIndex] |= mask;",
  },
  {
    what: "the tickets of a predecessor are not paid",
    from: "        if (paidFor != address(tickets) && paidFor != address(tickets.predecessor())) {",
    to: "        if (paidFor != address(tickets)) {",
  },
  {
    what: "a predecessor of any tickets is taken",
    from: "        if (paidFor != address(tickets) && paidFor != address(tickets.predecessor())) {",
    to: "        if (paidFor != address(tickets) && address(tickets.predecessor()) == address(0)) {",
  },
  {
    what: "id 0 is paid",
    from: "return purchaseId != 0 && paidWord",
    to: "return paidWord",
  },
  {
    what: "a successor is not paused",
    from: "        if (retired.paused()) _pause();",
    to: "",
  },
  {
    what: "a successor begins the day anew",
    from: "        _spent = uint112(retired.spentToday());",
    to: "",
  },
  {
    what: "a successor has its own limits",
    from: "_setLimits(retired.limits());",
    to: "_setLimits(initialLimits);",
  },
];

const TICKETS: readonly Mistake[] = [
  {
    what: "the minter moves tickets",
    from: "    function transferFrom(address, address, uint256) public payable override {\n        revert",
    to: `    function transferFrom(address from, address to, uint256 id) public payable override {
        if (hasRole(MINTER_ROLE, msg.sender)) {
            _transfer(address(0), from, to, id);
            return;
        }
        revert`,
  },
  {
    what: "a transfer to oneself succeeds",
    from: "    function transferFrom(address, address, uint256) public payable override {\n        revert",
    to: `    function transferFrom(address from, address to, uint256) public payable override {
        if (from == to) return;
        revert`,
  },
  {
    what: "an approval of nobody succeeds",
    from: "    function approve(address, uint256) public payable override {\n        revert",
    to: "    function approve(address to, uint256) public payable override {\n        if (to != address(0)) revert",
  },
  {
    what: "taking an operator's approval succeeds",
    from: "    function setApprovalForAll(address, bool) public pure override {\n        revert",
    to: "    function setApprovalForAll(address, bool is_) public pure override {\n        if (is_) revert",
  },
  {
    what: "the constructor does not tell the site URL",
    from: "        _setSiteUrl(initialSiteUrl);",
    to: `        if (bytes(initialSiteUrl).length > _MAX_SITE_URL_BYTES || !WebAddress.isHttpOrHttps(bytes(initialSiteUrl))) {
            revert PurchaseNFT_InvalidSiteUrl(bytes(initialSiteUrl));
        }
        _siteUrl = initialSiteUrl;`,
  },
  {
    what: "the constructor does not tell the descriptor",
    from: "        _setDescriptor(initialDescriptor);",
    to: "        descriptor = initialDescriptor;",
  },
  {
    what: "every ticket has store 1's colour",
    from: "storeColour: _storeLooks[purchase.storeId].first",
    to: "storeColour: _storeLooks[1].first",
  },
  {
    what: "metadata URIs are kept by 128 bits of the id",
    from: "        _metadataUris[tokenId] = metadataUri;",
    to: "        _metadataUris[uint128(tokenId)] = metadataUri;",
  },
  {
    what: "metadata URIs are read by 128 bits of the id",
    from: "= _metadataUris[tokenId];",
    to: "= _metadataUris[tokenId == uint128(tokenId) && bytes(_metadataUris[tokenId | 1 << 128]).length != 0 ? tokenId | 1 << 128 : tokenId];",
  },
  {
    what: "a run is known by its ends",
    from: "            if (tokenIds[i] != next) return false;",
    to: "            if (i + 1 == tokenIds.length && tokenIds[i] != next) return false;",
  },
  {
    what: "the update of a run of more than three ends early",
    from: "tokenIds[tokenIds.length - 1]);",
    to: "tokenIds[tokenIds.length > 3 ? tokenIds.length - 2 : tokenIds.length - 1]);",
  },
  {
    what: "the catalogue takes the descriptor away",
    from: "setDescriptor(ITicketDescriptor newDescriptor) external onlyRole(DEFAULT_ADMIN_ROLE) {",
    to: `setDescriptor(ITicketDescriptor newDescriptor) external {
        if (address(newDescriptor) != address(0) || !hasRole(CATALOGUE_ROLE, msg.sender)) _checkRole(DEFAULT_ADMIN_ROLE);`,
  },
  {
    what: "a Cancelled ticket is not locked",
    from: "        return true;\n    }\n\n    /// @notice ERC-165",
    to: "        return !TicketSlot.load(tokenId).hasStatus(Status.Cancelled);\n    }\n\n    /// @notice ERC-165",
  },
  {
    what: "a new name clears the colour",
    from: "        _storeNames[storeId] = newName;",
    to: "        _storeNames[storeId] = newName;\n        delete _storeLooks[storeId];",
  },
  {
    what: "nothing is confirmed while paused",
    from: "function confirm(uint256[] calldata tokenIds) external onlyRole(CONFIRMER_ROLE) {",
    to: "function confirm(uint256[] calldata tokenIds) external onlyRole(CONFIRMER_ROLE) whenNotPaused {",
  },
  {
    what: "no store is registered while paused",
    from: "        if (_isRegistered(storeId)) revert PurchaseNFT_StoreAlreadyRegistered(storeId);",
    to: "        _requireNotPaused();\n        if (_isRegistered(storeId)) revert PurchaseNFT_StoreAlreadyRegistered(storeId);",
  },
  {
    what: "a Cancelled id is minted again",
    from: "bool isMintedHere = PackedPurchase.unwrap(TicketSlot.load(id)) != 0;",
    to: "bool isMintedHere = PackedPurchase.unwrap(TicketSlot.load(id)) != 0 && !TicketSlot.load(id).hasStatus(Status.Cancelled);",
  },
  {
    what: "ticketsOf stops at 100",
    from: "        for (uint256 i; i < tokenIds.length; ++i) {\n            tickets[i]",
    to: "        for (uint256 i; i < tokenIds.length && i < 100; ++i) {\n            tickets[i]",
  },
  {
    what: "a batch of two needs no second URI",
    from: "if (uriCount != 0 && uriCount != size) revert",
    to: "if (uriCount > size) revert",
  },
  {
    what: "a batch's URIs all go to its first purchase",
    from: "_setMetadataUri(purchases[i].id, metadataUris[i])",
    to: "_setMetadataUri(purchases[0].id, metadataUris[i])",
  },
];

/** Mistakes written by people, which no small change of one operator would make. Throws if one no longer fits the source. */
export function mutantsByHand(file: string, source: string): Mutant[] {
  const mistakes = file.endsWith("/CashbackDistributor.sol")
    ? DISTRIBUTOR
    : file.endsWith("/PurchaseNFT.sol")
      ? TICKETS
      : [];
  return mistakes.map(({ what, from, to }) => {
    const at = source.indexOf(from);
    if (at < 0) throw new Error(`${file} no longer contains what "${what}" changes`);
    const line = source.slice(0, at).split("\n").length;
    return { file, line, what, source: source.replace(from, () => to) };
  });
}
