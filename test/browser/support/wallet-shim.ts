type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } };

declare global {
  interface Window {
    torcidaTestWallet: (wallet: number, request: { method: string; params?: unknown }) => Promise<Answer>;
    walletIsThere?: boolean;
    emitFromWallet?: (event: string, value: unknown) => void;
  }
}

/** Runs in the page before the app: a thin EIP-1193 provider with responses from Node. Self-contained. */
export function installWalletShim(options: {
  announce: { name: string; rdns: string }[];
  legacy: boolean;
  afterMs: number;
}): void {
  const { torcidaTestWallet: bridge } = window;
  const icon = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="navy"/></svg>')}`;
  const providers = options.announce.map((_, index) => makeProvider(index));

  function makeProvider(index: number) {
    const listeners = new Map<string, Set<(value: unknown) => void>>();
    return {
      async request(request: { method: string; params?: unknown }) {
        const { result, error } = await bridge(index, request);
        // Custom fields do not cross the bridge, so the error is recreated here.
        if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data });
        return result;
      },
      on(event: string, listener: (value: unknown) => void) {
        const known = listeners.get(event) ?? new Set();
        listeners.set(event, known.add(listener));
      },
      removeListener(event: string, listener: (value: unknown) => void) {
        listeners.get(event)?.delete(listener);
      },
      emit(event: string, value: unknown) {
        for (const listener of listeners.get(event) ?? []) listener(value);
      },
    };
  }

  window.emitFromWallet = (event, value) => {
    for (const provider of providers) provider.emit(event, value);
  };
  if (options.afterMs > 0) setTimeout(appear, options.afterMs);
  else appear();

  function appear() {
    window.walletIsThere = true;
    if (options.legacy) Object.assign(window, { ethereum: providers[0] });
    else announceThem();
  }
  function announceThem() {
    const announceAll = () => {
      options.announce.forEach((info, index) => {
        const detail = Object.freeze({
          info: { ...info, uuid: `00000000-0000-4000-8000-00000000000${index}`, icon },
          provider: providers[index],
        });
        window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      });
    };
    window.addEventListener("eip6963:requestProvider", announceAll);
    announceAll();
  }
}
