import { createContext, useContext } from "react";

/** Opens and closes the dialog that chooses a wallet. */
export const ChooserContext = createContext({ open: () => {}, close: () => {} });

export const useChooser = () => useContext(ChooserContext);
