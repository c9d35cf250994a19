// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Base64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {TicketArt} from "./TicketArt.sol";
import {TicketText} from "./TicketText.sol";

/// @title TicketMetadata
/// @notice Writes a purchase, and the collection, as JSON in a `data:` address. Text that people chose is escaped for
/// JSON here and for XML in {TicketArt}. Pictures are base64 and never `utf8`: explorers URI-decode the latter.
library TicketMetadata {
    using LibString for *;

    string private constant _JSON = "data:application/json;base64,";
    string private constant _SVG = "data:image/svg+xml;base64,";

    /// @notice A purchase's metadata.
    function tokenURI(
        uint256 tokenId,
        IPurchaseNFT.PurchaseRecord memory purchase,
        string memory store,
        string memory siteUrl
    ) internal pure returns (string memory) {
        return string.concat(
            _JSON,
            Base64.encode(
                bytes(
                    string.concat(
                        _description(tokenId, store.escapeJSON()),
                        '","image":"',
                        _SVG,
                        Base64.encode(bytes(TicketArt.ticket(tokenId, purchase, store))),
                        '","external_url":"',
                        siteUrl.escapeJSON(),
                        '","attributes":[',
                        _attributes(purchase, store.escapeJSON()),
                        "]}"
                    )
                )
            )
        );
    }

    /// @notice The collection's metadata (ERC-7572).
    function contractURI(string memory name, string memory symbol, string memory siteUrl)
        internal
        pure
        returns (string memory)
    {
        return string.concat(
            _JSON,
            Base64.encode(
                bytes(
                    string.concat(
                        '{"name":"',
                        name,
                        '","symbol":"',
                        symbol,
                        unicode'","description":"Ingressos de compra da Torcida: cada um é o recibo de uma compra com cashback em CHZ. Fica para sempre com quem comprou.","image":"',
                        _SVG,
                        Base64.encode(bytes(TicketArt.emblem())),
                        '","external_link":"',
                        siteUrl.escapeJSON(),
                        '"}'
                    )
                )
            )
        );
    }

    /// @dev From the opening brace to the description's last character.
    function _description(uint256 tokenId, string memory store) private pure returns (string memory) {
        return string.concat(
            unicode'{"name":"Torcida nº ',
            tokenId.toString(),
            unicode'","description":"Recibo de uma compra na loja ',
            store,
            unicode", com cashback em CHZ. Intransferível."
        );
    }

    function _attributes(IPurchaseNFT.PurchaseRecord memory purchase, string memory store)
        private
        pure
        returns (string memory)
    {
        return string.concat(
            _attribute("Loja", store),
            ",",
            _attribute("Valor da Compra", TicketText.reais(purchase.valueCents)),
            ",",
            _attribute("Cashback", TicketText.percent(uint256(purchase.cashbackBps) + purchase.bonusBps)),
            ",",
            _attribute("Status", TicketText.status(purchase.status)),
            ",",
            _attribute("Comprador", purchase.buyer.toHexStringChecksummed()),
            ",",
            _attribute(unicode"Bônus", TicketText.percent(purchase.bonusBps))
        );
    }

    function _attribute(string memory traitType, string memory value) private pure returns (string memory) {
        return string.concat('{"trait_type":"', traitType, '","value":"', value, '"}');
    }
}
