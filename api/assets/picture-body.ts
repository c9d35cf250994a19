import { ApiError, invalid } from "../http/api-error.ts";
import { type Picture, PictureError, readPicture } from "./picture.ts";

/** The media types of a picture's endings. */
export const TYPES: Record<string, string> = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };
export const PICTURE_TYPES = Object.values(TYPES);

/** The picture that is a request's body. @throws ApiError */
export function pictureIn(bytes: Buffer): Picture {
  if (bytes.length === 0) throw invalid("The body is empty; send the picture itself");
  try {
    return readPicture(bytes);
  } catch (error) {
    if (error instanceof PictureError) throw new ApiError(415, "NOT_A_PICTURE", error.message);
    throw error;
  }
}
