/**
 * The part of `@walletconnect/ethereum-provider` that wagmi's connector passes on. The package's own types would bring
 * Node's into the web app, and with them `process` and `Buffer`.
 */
export declare const EthereumProvider: {
  init(options: {
    projectId: string;
    showQrModal: boolean;
    telemetryEnabled?: boolean;
    logger?: string;
    metadata?: { name: string; description: string; url: string; icons: string[] };
  }): Promise<unknown>;
};
type Provider = Awaited<ReturnType<(typeof EthereumProvider)["init"]>>;
export default Provider;
