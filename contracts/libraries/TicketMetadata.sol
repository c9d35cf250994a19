// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Base64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "../interfaces/ITicketDescriptor.sol";
import {TicketText} from "./TicketText.sol";
import {WebAddress} from "./WebAddress.sol";

/// @title TicketMetadata
/// @notice Encodes a ticket or the collection as JSON in a `data:` URI, with its image. Free text is escaped
/// for JSON here, and for XML where it is drawn. Images are base64, never `utf8`: explorers URI-decode the latter.
library TicketMetadata {
    using LibString for *;

    string private constant _JSON = "data:application/json;base64,";
    string private constant _SVG = "data:image/svg+xml;base64,";

    /// @notice A ticket's metadata.
    /// @param svg Its image.
    function tokenURI(ITicketDescriptor.Ticket memory ticket, string memory svg) internal pure returns (string memory) {
        string memory store = ticket.storeName.escapeJSON();
        return _address(
            string.concat(
                unicode'{"name":"Torcida nº ',
                ticket.id.toString(),
                unicode'","description":"Ingresso de uma compra na loja ',
                store,
                unicode', com cashback em CHZ. Intransferível.","external_url":"',
                WebAddress.originOf(ticket.siteUrl).escapeJSON(),
                "/ticket/",
                ticket.id.toString(),
                '","attributes":[',
                _attributes(ticket.purchase, store),
                "]",
                _image(svg)
            )
        );
    }

    /// @notice The collection's metadata (ERC-7572).
    /// @param svg Its image.
    function contractURI(ITicketDescriptor.Collection memory collection, string memory svg)
        internal
        pure
        returns (string memory)
    {
        return _address(
            string.concat(
                '{"name":"',
                collection.name,
                '","symbol":"',
                collection.symbol,
                unicode'","description":"Ingressos da Torcida: cada um é uma compra com cashback em CHZ. ',
                'Fica para sempre com quem comprou.","external_link":"',
                WebAddress.originOf(collection.siteUrl).escapeJSON(),
                '/"',
                _image(svg)
            )
        );
    }

    /// @dev Closes the JSON object and encodes it as a `data:` URI.
    function _address(string memory json) private pure returns (string memory) {
        return string.concat(_JSON, Base64.encode(bytes(string.concat(json, "}"))));
    }

    function _image(string memory svg) private pure returns (string memory) {
        return string.concat(',"image":"', _SVG, Base64.encode(bytes(svg)), '"');
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
            _attribute("Cashback", TicketText.percent(uint256(purchase.baseBps) + purchase.bonusBps)),
            ",",
            _attribute("Status", TicketText.status(purchase.status)),
            ",",
            _attribute("Comprador", purchase.buyer.toHexStringChecksummed()),
            ",",
            _attribute(unicode"Bônus", TicketText.bonus(purchase.bonusBps))
        );
    }

    function _attribute(string memory traitType, string memory value) private pure returns (string memory) {
        return string.concat('{"trait_type":"', traitType, '","value":"', value, '"}');
    }
}
