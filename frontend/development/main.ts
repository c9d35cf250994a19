/** The entry of `npm start` and `npm run dev` on the local chain: the demo wallets, then the app. */
import "./demo-wallets/announce.ts";
import "../main.tsx";
