/** A file in a payload: one multipart part. */
export interface FilePart {
  fileName: string;
  mimeType: string;
  data: Uint8Array;
}

/** Value of one payload key (spec: "Field-type value formats"). */
export type PayloadValue = string | number | null | string[] | FilePart[];

/** Payload keys and values of one field value. Most kinds have one entry, composites have several. */
export type PayloadEntries = Array<[key: string, value: PayloadValue]>;

export interface EncodeContext {
  /** IANA name of the workflow's time zone, which applies to dates without an offset. */
  timeZone: string;
}
