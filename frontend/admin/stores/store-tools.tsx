import { useMutation, useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useState } from "react";
import { LOGO_BYTES } from "../../../core/rules/uploads.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toast.ts";
import { uploadLogo } from "../admin-calls.ts";
import { useDenial } from "../decisions/permissions.tsx";
import { Facts } from "../facts.tsx";
import { refusalOf } from "../refusals.ts";
import type { TestClick } from "../shapes.ts";
import { testClickQuery } from "./queries.ts";

const LOGO_TYPES = "image/png,image/jpeg,image/webp";

const refuse = (description: string | undefined) =>
  toast.error("O logo não pôde ser enviado", { id: "admin", description });

/** Uploads a picture; the server checks its content, whatever its name. */
export function LogoUpload({ storeId, onDone }: { storeId: string; onDone: () => Promise<unknown> }) {
  const upload = useMutation({
    mutationFn: (file: File) => uploadLogo(storeId, file),
    async onSuccess() {
      toast.success("Logo enviado.", { id: "admin" });
      await onDone();
    },
    onError: (error) => refuse(refusalOf(error)),
  });
  const denial = useDenial("catalogue");
  function send({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0];
    target.value = "";
    if (!file) return;
    if (file.size > LOGO_BYTES) refuse(`O arquivo tem mais de ${LOGO_BYTES / 1_024} kB. Escolha uma imagem menor.`);
    else upload.mutate(file);
  }
  return (
    <label className="button button-small button-quiet file-button" title={denial}>
      {upload.isPending ? "Enviando..." : "Enviar logo"}
      <input type="file" accept={LOGO_TYPES} disabled={upload.isPending || denial !== undefined} onChange={send} />
    </label>
  );
}

type TestClickProps = { storeId: string; onFollowed: () => void };

/** Tests where a buyer would be sent, with a click that belongs to nobody. */
export function TestClickButton({ storeId, onFollowed }: TestClickProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button button-small button-quiet" onClick={() => setOpen(true)}>
        Testar o link
      </button>
      {isOpen && <TestClickDialog storeId={storeId} onFollowed={onFollowed} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Open while the request runs, so that a late response cannot open a dialog above another one. */
function TestClickDialog({ storeId, onFollowed, onClose }: TestClickProps & { onClose: () => void }) {
  const test = useQuery(testClickQuery(storeId));
  return (
    <Dialog
      title="Para onde o comprador vai"
      lang="pt-BR"
      onClose={onClose}
      actions={
        test.data?.url && (
          <a className="button" href={test.data.url} target="_blank" rel="noopener noreferrer" onClick={onFollowed}>
            Abrir em outra aba
          </a>
        )
      }
    >
      {test.data ? (
        <Destination result={test.data} />
      ) : test.isPending ? (
        <p className="busy" role="status">
          <span className="spinner" aria-hidden="true" />
          Testando o link...
        </p>
      ) : (
        <p className="problem" role="alert">
          O link não pôde ser testado. {refusalOf(test.error)}
        </p>
      )}
    </Dialog>
  );
}

function Destination({ result }: { result: TestClick }) {
  if (result.url === null) {
    return (
      <p className="problem">A loja não tem link. Informe o link de afiliado, ou a rede com conta e anunciante.</p>
    );
  }
  return (
    <div className="grid gap-4">
      <Facts
        rows={[
          ["Endereço", result.url],
          ["Visita de teste", result.click_id],
        ]}
      />
      {result.carries_click ? (
        <p className="hint">O link leva o código da visita: uma venda dela seria reconhecida.</p>
      ) : (
        <p className="problem">
          O link não leva o código da visita: nenhuma venda seria reconhecida. Ponha {"{click}"} no link.
        </p>
      )}
    </div>
  );
}
