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

/** Lighthouse is installed only for the benchmarks; these are the types they use. */
declare module "lighthouse" {
  type Options = {
    port: number;
    output: "json";
    logLevel: "error";
    formFactor: "mobile";
    onlyCategories: string[];
    disableStorageReset?: boolean;
  };
  type Result = {
    lhr: {
      runtimeError?: { message: string };
      categories: Record<string, { score: number | null }>;
      audits: Record<string, { id: string; title: string; score: number | null; numericValue?: number }>;
    };
  };
  export default function lighthouse(url: string, options: Options): Promise<Result | undefined>;
}
