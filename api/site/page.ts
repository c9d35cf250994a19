import type { AppConfig } from "../../domain/api/config.ts";

const EMPTY = '<script type="application/json" id="deployment"></script>';

/** The page with what the web app reads before it draws; `frontend/app/deployment.ts` is the other end. */
export function withDeployment(html: string, config: AppConfig): string {
  // No text in it may end the element.
  const text = JSON.stringify(config).replaceAll("<", "\\u003c");
  return html.replace(EMPTY, () => EMPTY.replace("></", `>${text}</`));
}
