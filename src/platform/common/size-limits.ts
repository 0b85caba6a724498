/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;
/**
 * A piece of a chunked body costs processor time and memory whatever its size. A body in more pieces ends its connection. Node makes two
 * pieces of a chunk that spans two reads, so that this is twice the number of chunks that a body may have.
 */
export const MAX_BODY_PIECES = 2 * 1_024;
/** The most bytes of the target (path and query) and the header lines of one request together. */
export const MAX_HEADER_BYTES = 16 * 1024;
