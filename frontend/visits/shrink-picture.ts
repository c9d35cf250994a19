/** Enough to read a receipt, and far below what the server takes. */
const SIDE_PIXELS = 1_600;
const QUALITY = 0.8;

/**
 * A picture as a JPEG of at most this size, without what a camera adds to it.
 * @throws if the file is no picture that the browser can read
 */
export async function shrinkPicture(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_PIXELS / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const shrunk = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  if (!shrunk) throw new Error("The browser cannot write the picture");
  return shrunk;
}
