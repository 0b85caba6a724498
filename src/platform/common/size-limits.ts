/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/** A chunk costs processor time and memory whatever its size. A body in more chunks ends its connection. */
export const MAX_BODY_CHUNKS = 1_024;
/** The most bytes of the target (path and query) and the header lines of one request together. */
export const MAX_HEADER_BYTES = 16 * 1024;
