import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { downloadFile } from "./download.ts";

/** Gives a picture to the phone's share sheet, or saves it where there is none. `name`: what it is of, in the file's name. */
export async function sharePicture(picture: Blob, name: string, words: { title: string; text: string }): Promise<void> {
  const file = new File([picture], `${PRODUCT_NAME.toLowerCase()}-${name}.png`, { type: "image/png" });
  if (!navigator.canShare?.({ files: [file] })) return downloadFile(file);
  // Closing the share sheet is not an error.
  await navigator.share({ files: [file], ...words }).catch(() => {});
}
