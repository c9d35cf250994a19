declare module "autocannon" {
  type Options = {
    url: string;
    connections: number;
    duration: number;
    method: "GET" | "POST";
    headers: Record<string, string>;
    body?: string;
  };
  type Result = {
    requests: { average: number };
    latency: { p50: number; p99: number };
    errors: number;
    non2xx: number;
  };
  const autocannon: ((options: Options) => Promise<Result>) & Record<never, never>;
  namespace autocannon {
    export type { Result };
  }
  export default autocannon;
}
