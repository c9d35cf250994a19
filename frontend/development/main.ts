/** What `npm start` and `npm run dev` serve on the local chain: the app, and before it the demo wallets. */
import "./demo-wallets/announce.ts";
import "../main.tsx";
