/** Lighthouse is installed only for the benchmarks; these are the types they use. */
declare module "lighthouse" {
  type Options = {
    port: number;
    output: "json";
    logLevel: "error";
    formFactor: "mobile";
    onlyCategories: string[];
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
