import { type ChangeEvent, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { testClick, uploadLogo } from "../admin-calls.ts";
import { useDenial } from "../decisions/permissions.tsx";
import { Facts } from "../facts.tsx";
import { refusalOf } from "../refusals.ts";
import type { TestClick } from "../shapes.ts";

const LOGO_TYPES = "image/png,image/jpeg,image/webp";
const LOGO_BYTES = 512 * 1_024;

/** Uploads a picture; the server checks its content, whatever its name. */
export function LogoUpload({ storeId, onDone }: { storeId: string; onDone: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  const denial = useDenial("catalogue");
  async function send({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0];
    target.value = "";
    if (!file) return;
    setBusy(true);
    try {
      if (file.size > LOGO_BYTES) throw new Error("O arquivo tem mais de 512 kB. Escolha uma imagem menor.");
      await uploadLogo(storeId, file);
      toast.success("Logo enviado.", { id: "admin" });
      await onDone();
    } catch (error) {
      const isOurs = error instanceof Error && error.message.startsWith("O arquivo");
      toast.error("O logo não pôde ser enviado", {
        id: "admin",
        description: isOurs ? error.message : refusalOf(error),
      });
    } finally {
      setBusy(false);
    }
  }
  return (
    <label className="button button-small button-quiet file-button" title={denial}>
      {isBusy ? "Enviando..." : "Enviar logo"}
      <input type="file" accept={LOGO_TYPES} disabled={isBusy || denial !== undefined} onChange={send} />
    </label>
  );
}

/** Tests where a buyer would be sent, with a click that belongs to nobody. */
export function TestClickButton({ storeId }: { storeId: string }) {
  const [result, setResult] = useState<TestClick>();
  const [isBusy, setBusy] = useState(false);
  async function run() {
    setBusy(true);
    try {
      setResult(await testClick(storeId));
    } catch (error) {
      toast.error("O link não pôde ser testado", { id: "admin", description: refusalOf(error) });
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <button type="button" className="button button-small button-quiet" disabled={isBusy} onClick={run}>
        Testar o link
      </button>
      {result && <TestClickDialog result={result} onClose={() => setResult(undefined)} />}
    </>
  );
}

function TestClickDialog({ result, onClose }: { result: TestClick; onClose: () => void }) {
  return (
    <Dialog
      title="Para onde o comprador vai"
      lang="pt-BR"
      onClose={onClose}
      actions={
        result.url && (
          <a className="button" href={result.url} target="_blank" rel="noopener noreferrer">
            Abrir em outra aba
          </a>
        )
      }
    >
      {result.url === null ? (
        <p className="problem">A loja não tem link. Informe o link de afiliado, ou a rede com conta e anunciante.</p>
      ) : (
        <div className="grid gap-4">
          <Facts
            rows={[
              ["Endereço", result.url],
              ["Clique de teste", result.click_id],
            ]}
          />
          {result.carries_click ? (
            <p className="hint">O link leva o código do clique: uma venda dele seria reconhecida.</p>
          ) : (
            <p className="problem">
              O link não leva o código do clique: nenhuma venda seria reconhecida. Ponha {"{click}"} no link.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}
