/** Where the contract's drawing of a ticket is. docs/product.md#ticket-picture */
export const ticketImage = (tokenId: string): string => `/api/nfts/${encodeURIComponent(tokenId)}/image`;
